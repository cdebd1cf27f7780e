import PoolgaugeAgent
import Telemetry
import Units

/// Turns the statuses of an agent into samples for the dashboard.
///
/// The clients of a sample are the program's reads and writes, or all accesses to a queue. They are
/// absent in the first sample of a run of the program, because rates require two statuses. Their
/// latencies cover the time since the program opened its database.
struct AgentSampler {
    private let start: UInt64
    private var sequence = 0
    private var last: AgentStatus?
    private var isLost = false
    private var events: [TelemetryEvent] = []

    /// Creates a sampler.
    ///
    /// `start` is the time at which the display started, on the monotonic clock, in nanoseconds.
    init(start: UInt64) { self.start = start }

    /// Returns the sample after the events of one request, or `nil` if the agent has not responded
    /// yet.
    mutating func sample(_ received: [AgentFollower.Event], at now: UInt64) -> Sample? {
        let time = Double(now - min(now, start)) / 1e9
        for event in received {
            switch event {
            case .status(let status, let previous):
                (last, isLost) = (status, false)
                return connected(status, since: previous, time)
            case .lost(let reason):
                isLost = true
                note("connection lost: \(reason)", .error, time)
            case .reconnected(let process, let gap):
                let length = HumanUnits.duration(nanoseconds: gap)
                note("reconnected to PID \(process) after a gap of \(length)", .warning, time)
            }
        }
        guard isLost, let last else { return nil }
        var database = DatabaseStatus(
            label: last.database.label,
            kind: last.database.kind,
            path: last.database.path,
            journalMode: last.database.journalMode
        )
        database.readers = last.database.readers.map {
            ReaderPoolStatus(inUse: 0, open: 0, maximum: $0.maximum)
        }
        return sample(of: last, isConnected: false, database, [], time)
    }

    private mutating func note(
        _ message: String,
        _ severity: TelemetryEvent.Severity,
        _ time: Double
    ) {
        events.append(TelemetryEvent(time: time, severity: severity, message: message))
    }

    private mutating func connected(
        _ status: AgentStatus,
        since previous: AgentStatus?,
        _ time: Double
    ) -> Sample {
        let (database, before) = (status.database, previous?.database)
        if let before {
            note(countOf: database.busyCount, since: before.busyCount, "lock conflict", time)
            let (now, old) = (database.interrupts.delivered, before.interrupts.delivered)
            note(countOf: now, since: old, "interrupted statement", time)
        }
        let elapsed = before.map {
            Double(database.takenAtNanoseconds) - Double($0.takenAtNanoseconds)
        }
        var sample = sample(
            of: status,
            isConnected: true,
            database,
            clients(database, since: before, elapsed),
            time
        )
        if let elapsed, elapsed > 0, let now = database.readers, let old = before?.readers {
            func growth(_ now: UInt64, _ old: UInt64) -> Double { Double(now - min(now, old)) }
            let capacity = elapsed * Double(max(now.maximum, 1))
            sample.utilization = min(1, growth(now.busyNanoseconds, old.busyNanoseconds) / capacity)
            let saturated = growth(now.saturatedNanoseconds, old.saturatedNanoseconds)
            sample.saturation = min(1, saturated / elapsed)
        }
        return sample
    }

    private mutating func note(
        countOf now: UInt64,
        since before: UInt64,
        _ name: String,
        _ time: Double
    ) {
        guard now > before else { return }
        note(HumanUnits.counted(Int(clamping: now - before), name, name + "s"), .warning, time)
    }

    private func clients(
        _ database: DatabaseStatus,
        since before: DatabaseStatus?,
        _ elapsed: Double?
    ) -> [ClientStatus] {
        guard let before, let elapsed, elapsed > 0 else { return [] }
        func client(
            _ name: String,
            _ wait: KeyPath<DatabaseStatus, LatencySummary?>,
            _ hold: KeyPath<DatabaseStatus, LatencySummary?>
        ) -> ClientStatus? {
            guard let count = database[keyPath: wait]?.count else { return nil }
            let old = before[keyPath: wait]?.count ?? 0
            var client = ClientStatus(
                name: name,
                activity: "",
                throughput: Double(count - min(count, old)) / (elapsed / 1e9)
            )
            client.counts.completed = count
            client.wait = database[keyPath: wait]
            client.service = database[keyPath: hold]
            return client
        }
        let isPool = database.readers != nil
        return [
            client(isPool ? "reads" : "accesses", \.acquire, \.hold),
            client("writes", \.writerAcquire, \.writerHold),
        ].compactMap(\.self)
    }

    private mutating func sample(
        of status: AgentStatus,
        isConnected: Bool,
        _ database: DatabaseStatus,
        _ clients: [ClientStatus],
        _ time: Double
    ) -> Sample {
        defer {
            sequence += 1
            events = []
        }
        var sample = Sample(
            sequence: sequence,
            time: time,
            scenario: status.name,
            arm: "",
            database: database,
            clients: clients,
            events: events
        )
        sample.program = ProgramStatus(
            process: status.process,
            isConnected: isConnected,
            allowsControl: status.allowsControl
        )
        return sample
    }
}
