import PoolgaugeAgent
import SQLiteWatch
import Telemetry
import Text

/// The status of an agent as text.
struct AgentText {
    private let status: AgentStatus
    private var database: DatabaseStatus { status.database }

    init(_ status: AgentStatus) { self.status = status }

    /// Returns an agent's JSON as one line with escaped control characters.
    static func line(ofJSON json: String) -> String {
        let line = json.split { ["\n", "\r", "\r\n"].contains($0) }.joined(separator: " ")
        return Escaping.encodedJSON(line, keepingNewlines: false) + "\n"
    }

    /// The status as lines and a table of connections, with a newline at the end.
    var text: String {
        var rows = [["agent", agent], ["database", file]]
        if let readers = database.readers {
            rows.append([
                "readers",
                uses(readers.inUse, maximum: readers.maximum, waiting: database.waitingReaders),
            ])
            rows.append(["", latencies(wait: database.acquire, hold: database.hold)])
            rows.append(["writer", uses(usedWriters, maximum: 1, waiting: database.waitingWriters)])
            rows.append(["", latencies(wait: database.writerAcquire, hold: database.writerHold)])
        } else {
            let waiting = database.waitingReaders + database.waitingWriters
            rows.append(["queue", uses(usedWriters, maximum: 1, waiting: waiting)])
            rows.append(["", latencies(wait: database.acquire, hold: database.hold)])
        }
        rows.append(["log", log])
        rows.append(["snapshots", snapshots])
        rows.append(["locks", locks])
        rows.removeAll { $0[1].isEmpty }
        var connections = [["connection", "state", "accesses", "held", "by", "SQL"]]
        for connection in database.connections {
            connections.append([
                connection.label, connection.state.rawValue,
                HumanUnits.exact(connection.accessCount),
                connection.heldNanoseconds.map(HumanUnits.duration(nanoseconds:)) ?? "–",
                connection.holder?.name ?? "–",
                connection.sql.map { String($0.prefix(Self.sqlWidth)) } ?? "–",
            ])
        }
        if database.hidesConnections {
            connections = [["The program does not report its connections."]]
        }
        let lines = WatchText.table(rows) + [""] + WatchText.table(connections)
        return lines.joined(separator: "\n") + "\n"
    }

    private static let sqlWidth = 60

    private var agent: String {
        let age = HumanUnits.seconds(Double(status.ageNanoseconds) / 1e9)
        let control = status.allowsControl ? ", allows control" : ""
        return "\(status.name), PID \(status.process), running for \(age)\(control)"
    }

    private var file: String {
        let journal = database.journalMode.map { ", journal \($0)" } ?? ""
        let end = database.isClosed ? ", closed" : ""
        return "\(database.path ?? "in memory"): \(database.kind.rawValue) "
            + "\(database.label)\(journal)\(end)"
    }

    /// The number of writers or queues in use, or `nil` if it is unknown.
    private var usedWriters: Int? {
        guard !database.hidesConnections else { return nil }
        return database.connections.count {
            ($0.role == .writer || $0.role == .queue) && $0.state != .idle
        }
    }

    private func uses(_ used: Int?, maximum: Int, waiting: [WaiterStatus]) -> String {
        let waiters = database.hidesWaits ? nil : Self.waiters(waiting)
        guard let used else { return waiters.map { "use unknown, " + $0 } ?? "unknown" }
        return "\(used) of \(maximum) in use, " + (waiters ?? "waits unknown")
    }

    /// Returns text such as `2 accesses wait, oldest ui 12 ms`.
    private static func waiters(_ waiting: [WaiterStatus]) -> String {
        guard let oldest = waiting.max(by: { $0.waitedNanoseconds < $1.waitedNanoseconds }) else {
            return "no access waits"
        }
        let count = HumanUnits.counted(waiting.count, "access waits", "accesses wait")
        let age = HumanUnits.duration(nanoseconds: oldest.waitedNanoseconds)
        return "\(count), oldest \(oldest.origin.name) \(age)"
    }

    private func latencies(wait: LatencySummary?, hold: LatencySummary?) -> String {
        [("wait", wait), ("hold", hold)].compactMap { name, summary in
            summary.map { summary in
                let values = [
                    ("p50", summary.p50), ("p99", summary.p99), ("max", summary.max as UInt64?),
                ]
                let texts = values.compactMap { label, value in
                    value.map { "\(label) \(HumanUnits.duration(nanoseconds: $0))" }
                }
                return "\(name) \(texts.joined(separator: ", "))"
            }
        }.joined(separator: "; ")
    }

    private var log: String {
        guard let wal = database.wal else { return "" }
        var parts = [HumanUnits.bytes(wal.bytes)]
        if let frames = wal.frames {
            let copied = wal.checkpointedFrames.map { ", \(HumanUnits.exact($0)) checkpointed" }
            parts.append(HumanUnits.exact(frames, "frame") + (copied ?? ""))
        }
        if let pin = wal.pin {
            let age = HumanUnits.duration(nanoseconds: pin.ageNanoseconds)
            parts.append("pinned for \(age) by \(pin.by.name) (\(pin.cause.rawValue))")
        }
        return parts.joined(separator: ", ")
    }

    private var snapshots: String {
        guard let oldest = database.snapshots.first else { return "" }
        let age = HumanUnits.duration(nanoseconds: oldest.ageNanoseconds)
        let origin = oldest.origin.map { " by \($0.name)" } ?? ""
        return "\(database.snapshots.count), oldest \(oldest.label)\(origin), \(age)"
    }

    private var locks: String {
        let busy = "busy \(HumanUnits.exact(database.busyCount))"
        guard let interrupts = database.interrupts else { return busy + ", interrupts unknown" }
        return busy + ", interrupts \(HumanUnits.exact(interrupts.requested)) requested, "
            + "\(HumanUnits.exact(interrupts.delivered)) delivered"
    }

    /// Returns the changes since an earlier status of the same process, on one line.
    func line(since last: AgentStatus?) -> String {
        var parts: [String] = []
        if let readers = database.readers {
            parts.append(
                "readers "
                    + uses(
                        readers.inUse,
                        maximum: readers.maximum,
                        waiting: database.waitingReaders
                    )
            )
            parts.append(
                "writer " + uses(usedWriters, maximum: 1, waiting: database.waitingWriters)
            )
        } else {
            let waiting = database.waitingReaders + database.waitingWriters
            parts.append("queue " + uses(usedWriters, maximum: 1, waiting: waiting))
        }
        if let last, let rate = accessRate(since: last.database) {
            parts.append(HumanUnits.rate(rate))
            let busy = database.busyCount - min(last.database.busyCount, database.busyCount)
            if busy > 0 { parts.append("busy +\(HumanUnits.exact(busy))") }
        }
        if !log.isEmpty { parts.append("log " + log) }
        if database.isClosed { parts.append("closed") }
        return parts.joined(separator: " · ")
    }

    private func accessRate(since last: DatabaseStatus) -> Double? {
        // Some programs do not count accesses.
        guard database.takenAtNanoseconds > last.takenAtNanoseconds, database.acquire != nil
        else { return nil }
        let (count, lastCount) = (Self.accesses(database), Self.accesses(last))
        guard count >= lastCount else { return nil }
        let elapsed = database.takenAtNanoseconds - last.takenAtNanoseconds
        return Double(count - lastCount) / (Double(elapsed) / 1e9)
    }

    private static func accesses(_ database: DatabaseStatus) -> UInt64 {
        (database.acquire?.count ?? 0) &+ (database.writerAcquire?.count ?? 0)
    }
}
