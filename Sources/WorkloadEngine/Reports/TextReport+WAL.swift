import Text

extension TextReport {
    static func log(_ run: ArmResult) -> [String] {
        guard let wal = run.wal else { return [] }
        let head =
            "  WAL: peak \(ReportUnits.bytes(wal.peakBytes)), "
            + "\(ReportUnits.bytes(wal.finalBytes)) at the end"
        var lines = [head]
        for pin in wal.pins.prefix(5) { lines.append("    " + sentence(pin)) }
        if wal.pins.count > 5 { lines.append("    and \(wal.pins.count - 5) more") }
        return lines
    }

    static func sentence(_ pin: WALResult.Pin) -> String {
        let time = ReportUnits.seconds(pin.seconds)
        let growth =
            pin.bytes > 0
            ? ": the log grew by \(ReportUnits.bytes(pin.bytes))" : ", but the log did not grow"
        switch pin.cause {
        case "oldReader":
            return
                "\(pin.by) kept reading an old state for \(time), so checkpoints could not "
                + "complete\(growth)"
        case "overlappingReaders":
            return "readers, including \(pin.by), overlapped without a gap for \(time), so the log "
                + "was never reset\(growth)"
        case "largeTransaction":
            return "\(pin.by) filled the log with one large transaction for \(time)"
                + growth
        case "noCheckpoint":
            return "no checkpoint copied the writes of \(pin.by) for \(time)\(growth)"
        case "otherProcess":
            return "\(pin.by) blocked checkpoints for \(time)\(growth)"
        default:
            return "\(pin.by) kept the log from shrinking for \(time) (\(pin.cause))\(growth)"
        }
    }
}
