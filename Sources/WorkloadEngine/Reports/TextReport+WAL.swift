extension TextReport {
    /// The write-ahead log, and a sentence for each who kept it from shrinking.
    static func log(_ run: ArmResult) -> [String] {
        guard let wal = run.wal else { return [] }
        let head =
            "  WAL: peak \(HumanUnits.bytes(wal.peakBytes)), "
            + "\(HumanUnits.bytes(wal.finalBytes)) at the end"
        var lines = [head]
        for pin in wal.pins.prefix(5) { lines.append("    " + sentence(pin)) }
        if wal.pins.count > 5 { lines.append("    and \(wal.pins.count - 5) more") }
        return lines
    }

    /// Who kept the log from shrinking, why, for how long, and what that cost.
    static func sentence(_ pin: WALResult.Pin) -> String {
        let time = HumanUnits.seconds(pin.seconds)
        let growth =
            pin.bytes > 0
            ? "it grew by \(HumanUnits.bytes(pin.bytes)) meanwhile" : "it did not grow meanwhile"
        switch pin.cause {
        case "oldReader":
            return "\(pin.by) read an old state for \(time), which checkpoints may not copy over "
                + "(oldReader): \(growth)"
        case "overlappingReaders":
            return "readers overlapped without a gap for \(time), \(pin.by) among them, so the log "
                + "never began anew (overlappingReaders): \(growth)"
        case "largeTransaction":
            return "\(pin.by) filled it with one large transaction for \(time) "
                + "(largeTransaction): \(growth)"
        case "noCheckpoint":
            return "nobody checkpointed for \(time) what \(pin.by) wrote (noCheckpoint): \(growth)"
        case "otherProcess":
            return "\(pin.by) was in the way for \(time) (otherProcess): \(growth)"
        default:
            return "\(pin.by) kept it from shrinking for \(time) (\(pin.cause)): \(growth)"
        }
    }
}
