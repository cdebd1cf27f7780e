import PoolgaugeAgent
import Telemetry

extension Sample {
    /// Creates a sample from the status of an agent.
    ///
    /// The clients of the sample are the program's reads and writes or, for a queue, all accesses.
    /// Their latencies cover the time since the program opened its database.
    ///
    /// - Parameters:
    ///   - status: The current status of the agent.
    ///   - previous: The previous status of the same process, or `nil` if there is none. Without a
    ///     previous status, rates are unknown, and the sample has no clients.
    ///   - sequence: The number of the sample.
    ///   - time: The time since the start of the display or the recording, in seconds.
    init(_ status: AgentStatus, since previous: AgentStatus?, sequence: Int, time: Double) {
        let (database, previousDatabase) = (status.database, previous?.database)
        self.init(
            sequence: sequence,
            time: time,
            scenario: status.name,
            arm: "",
            database: database
        )
        program = ProgramStatus(process: status.process, allowsControl: status.allowsControl)
        guard let previousDatabase,
            database.takenAtNanoseconds > previousDatabase.takenAtNanoseconds
        else { return }
        let elapsed = Double(database.takenAtNanoseconds - previousDatabase.takenAtNanoseconds)
        clients = Self.clients(database, since: previousDatabase, elapsed: elapsed)
        guard let now = database.readers, let old = previousDatabase.readers else { return }
        func growth(_ now: UInt64, _ old: UInt64) -> Double { Double(now - min(now, old)) }
        let capacity = elapsed * Double(max(now.maximum, 1))
        utilization = min(1, growth(now.busyNanoseconds, old.busyNanoseconds) / capacity)
        guard let saturated = now.saturatedNanoseconds else { return }
        saturation = min(1, growth(saturated, old.saturatedNanoseconds ?? 0) / elapsed)
    }

    private static func clients(
        _ database: DatabaseStatus,
        since previousDatabase: DatabaseStatus,
        elapsed: Double
    ) -> [ClientStatus] {
        func client(
            _ name: String,
            wait: KeyPath<DatabaseStatus, LatencySummary?>,
            hold: KeyPath<DatabaseStatus, LatencySummary?>
        ) -> ClientStatus? {
            guard let count = database[keyPath: wait]?.count else { return nil }
            let old = previousDatabase[keyPath: wait]?.count ?? 0
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
        return [
            client(database.readers == nil ? "accesses" : "reads", wait: \.acquire, hold: \.hold),
            client("writes", wait: \.writerAcquire, hold: \.writerHold),
        ].compactMap(\.self)
    }
}
