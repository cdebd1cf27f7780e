import Foundation
import Telemetry

/// The status of a pool, formatted as lines of text.
struct StatusTable {
    let text: String

    /// Formats a status.
    ///
    /// - Parameters:
    ///   - status: The current status of the pool.
    ///   - last: The previous status. The table shows the usage since then.
    ///   - start: The time when the watch started, in nanoseconds.
    init(_ status: DatabaseStatus, since last: DatabaseStatus, start: UInt64) {
        var lines = [Self.summary(status, last, start)]
        lines += status.connections.map(Self.line)
        if let oldest = status.waitingReaders.first {
            lines.append(
                "  waiting for a reader: \(status.waitingReaders.count), longest "
                    + "\(oldest.origin.name) for \(time(oldest.waitedNanoseconds))"
            )
        }
        if let oldest = status.waitingWriters.first {
            lines.append(
                "  waiting for the writer: \(status.waitingWriters.count), longest "
                    + "\(oldest.origin.name) for \(time(oldest.waitedNanoseconds))"
            )
        }
        for snapshot in status.snapshots {
            lines.append(
                "  snapshot \(snapshot.label) of \(snapshot.origin?.name ?? "an unknown access") is "
                    + "\(time(snapshot.ageNanoseconds)) old"
            )
        }
        if let pin = status.wal?.pin {
            lines.append(
                "  the WAL does not shrink: \(pin.cause.rawValue) by \(pin.by.name), "
                    + time(pin.ageNanoseconds)
            )
        }
        text = lines.joined(separator: "\n")
    }

    private static func summary(
        _ status: DatabaseStatus,
        _ last: DatabaseStatus,
        _ start: UInt64
    ) -> String {
        let elapsed = status.takenAtNanoseconds - last.takenAtNanoseconds
        var parts = [time(status.takenAtNanoseconds - start)]
        if let current = status.readers, let previous = last.readers {
            let capacity = elapsed * UInt64(current.maximum)
            parts.append(
                "readers \(current.inUse) of \(current.open) open, at most \(current.maximum)"
            )
            parts.append(
                "used \(percent(current.busyNanoseconds - previous.busyNanoseconds, of: capacity))"
            )
            let (end, start) = (
                current.saturatedNanoseconds ?? 0, previous.saturatedNanoseconds ?? 0
            )
            let saturated = end - start
            parts.append("saturated \(percent(saturated, of: elapsed))")
        }
        if let wal = status.wal {
            parts.append(
                "WAL \(wal.bytes / 1024) KB, \(wal.checkpointedFrames ?? 0) of "
                    + "\(wal.frames ?? 0) frames checkpointed"
            )
        }
        if let interrupts = status.interrupts {
            parts.append("interrupts \(interrupts.delivered) of \(interrupts.requested)")
        }
        return parts.joined(separator: " · ")
    }

    private static func line(_ connection: ConnectionStatus) -> String {
        let held = connection.heldNanoseconds.map(time) ?? ""
        let accesses =
            connection.accessCount == 1 ? "1 access" : "\(connection.accessCount) accesses"
        return [
            "  " + column(connection.label, 16),
            column(connection.state.rawValue, 14),
            column(accesses, 15),
            column(held, 9),
            column(connection.holder?.name ?? "", 28),
            String(connection.sql?.prefix(50) ?? ""),
        ].joined(separator: " ")
    }
}

/// Formats a time in a suitable unit.
func time(_ nanoseconds: UInt64) -> String {
    switch nanoseconds {
    case ..<1_000_000: "\(nanoseconds / 1_000) µs"
    case ..<10_000_000_000: "\(nanoseconds / 1_000_000) ms"
    default: "\(nanoseconds / 1_000_000_000).\(nanoseconds / 100_000_000 % 10) s"
    }
}

private func percent(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? "0%" : "\(part * 100 / whole)%"
}

private func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
