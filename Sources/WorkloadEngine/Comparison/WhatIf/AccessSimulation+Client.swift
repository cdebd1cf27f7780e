/// A simulation's input and output.
extension AccessSimulation {
    /// A client in the load.
    struct Client {
        let plan: ClientPlan
        /// The service time of each operation, or `nil` for operations that never completed.
        var services: [ServiceModel?]
        /// Whether the client's accesses wait for a connection, which is `false` for snapshots.
        var needsConnection = true
        /// The time between acquiring a connection and entering the access's closure.
        ///
        /// It includes the start of the transaction and any wait that is not caused by other
        /// accesses.
        var overhead: SpectrumSampler?
        /// The variation of service times from second to second.
        var seconds: ServiceSeconds?
        /// The number of consecutive accesses in each turn.
        var batches = 1
        /// Whether the client's accesses belong to tasks, which are not overtaken by other
        /// accesses.
        var isTask = false
        /// The interrupts that the client sends instead of making accesses.
        var interrupts: Interrupts?
    }

    /// The interrupts that one client sends to other clients' accesses.
    struct Interrupts {
        /// The name of the client whose accesses are interrupted, or `nil` for all clients.
        var victim: String?
        /// The time that an interrupted statement continues to run, in nanoseconds.
        ///
        /// SQLite polls for interrupts. A statement that ends before the poll is not interrupted.
        var latency: Double
    }

    /// One client's outcome.
    struct Outcome {
        /// The times from start to entry of the completed accesses in the measured part, in
        /// nanoseconds.
        ///
        /// Interrupted accesses are not included.
        var waits: [Double] = []
        /// The sum of each operation's service times, in nanoseconds, and the number of service
        /// times.
        var service: [(sum: Double, count: Int)]
        /// The number of accesses in the measured part that were skipped because they were late.
        var skipped = 0
        /// The number of accesses in the measured part that found a free connection.
        var withoutWait = 0
    }
}
