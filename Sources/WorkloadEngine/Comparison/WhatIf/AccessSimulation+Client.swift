extension AccessSimulation {
    struct Client {
        let plan: ClientPlan
        /// The service time of each operation, or `nil` for operations without completed accesses.
        var services: [ServiceModel?]
        /// Whether the client's accesses wait for a connection, unlike snapshots.
        var needsConnection = true
        /// The time between acquiring a connection and entering the access's closure.
        ///
        /// The time includes the start of the transaction and any wait that is not caused by other
        /// accesses.
        var overhead: SpectrumSampler?
        /// The variation of service times from second to second.
        var seconds: ServiceSeconds?
        var batches = 1
        /// Whether the client's accesses belong to tasks, which other accesses cannot overtake.
        var isTask = false
        var interrupts: Interrupts?
    }

    struct Interrupts {
        /// The name of the client with the interrupted accesses, or `nil` for all clients.
        var victim: String?
        /// The time for which an interrupted statement continues to run, in nanoseconds.
        ///
        /// SQLite polls for interrupts. A statement that ends before the next poll is not
        /// interrupted.
        var latency: Double
    }

    struct Outcome {
        /// The times from start to entry of completed accesses in the measured part, in
        /// nanoseconds.
        ///
        /// Interrupted accesses are omitted.
        var waits: [Double] = []
        /// The sum, in nanoseconds, and the number of each operation's service times.
        var service: [(sum: Double, count: Int)]
        /// The number of skipped accesses in the measured part.
        var skipped = 0
        /// The number of accesses in the measured part that found a free connection.
        var immediateCount = 0
    }
}
