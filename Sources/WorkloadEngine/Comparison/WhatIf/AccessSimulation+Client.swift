/// The input and the output of a simulation.
extension AccessSimulation {
    /// A client of the load.
    struct Client {
        let plan: ClientPlan
        /// The service time of each operation; nil for one that never completed.
        var services: [ServiceModel?]
        /// Whether the client's accesses wait for a connection; snapshots do not.
        var needsConnection = true
        /// The time from the acquisition of a connection to the entry of an access.
        ///
        /// It includes the start of the transaction and any wait that other accesses do not cause.
        var overhead: SpectrumSampler?
        /// The variation of service times from second to second.
        var seconds: ServiceSeconds?
        /// The number of consecutive accesses in each turn.
        var batches = 1
        /// Whether the client's accesses belong to tasks, which other accesses do not overtake.
        var isTask = false
        /// The interrupts that the client performs instead of accesses.
        var interrupts: Interrupts?
    }

    /// The interrupts that one client sends to the accesses of others.
    struct Interrupts {
        /// The name of the client whose accesses are interrupted; nil for all clients.
        var victim: String?
        /// The time for which an interrupted statement continues, in nanoseconds.
        ///
        /// SQLite polls for interrupts. A statement that ends before the poll is not interrupted.
        var latency: Double
    }

    /// The outcome of one client.
    struct Outcome {
        /// The times from start to entry of each completed access that counts, in nanoseconds;
        /// interrupted accesses do not count.
        var waits: [Double] = []
        /// The sums of the service times of each operation, in nanoseconds, and their counts.
        var service: [(sum: Double, count: Int)]
        /// The number of accesses that count and were skipped because they were late.
        var skipped = 0
        /// The number of accesses that count and found a free connection.
        var withoutWait = 0
    }
}
