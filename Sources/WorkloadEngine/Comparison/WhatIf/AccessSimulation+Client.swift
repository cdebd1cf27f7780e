/// What goes into a simulation, and what comes of it.
extension AccessSimulation {
    /// A client of the load.
    struct Client {
        let plan: ClientPlan
        /// What each operation does to its connection; nil for one that never completed.
        var services: [ServiceModel?]
        /// Whether its accesses wait for a connection: snapshots do not.
        var needsConnection = true
        /// What lies between an access's getting its connection and its entry: the begin of its
        /// transaction, and whatever else an access that waits for nobody has to wait for.
        var overhead: SpectrumSampler?
        /// In which seconds it was served more slowly.
        var seconds: ServiceSeconds?
        /// How many accesses follow each other at each turn.
        var batches = 1
        /// Whether its accesses are those of tasks, which nobody overtakes.
        var isTask = false
        /// What it does instead of accesses: it interrupts those of others.
        var interrupts: Interrupts?
    }

    /// What one client does to the accesses of others.
    struct Interrupts {
        /// The name of the client whose accesses it interrupts; nil for those of all.
        var victim: String?
        /// How long a statement goes on that is interrupted, in nanoseconds.
        ///
        /// SQLite looks now and then. What ends before that by itself is not interrupted.
        var latency: Double
    }

    /// What came of one client.
    struct Outcome {
        /// From the start to the entry of each completed access that counts, in nanoseconds:
        /// those that were interrupted are none.
        var waits: [Double] = []
        /// The sums of the service times of each operation, in nanoseconds, and their counts.
        var service: [(sum: Double, count: Int)]
        /// Accesses that count and were given up because they were late.
        var skipped = 0
        /// Accesses that count and found a connection free.
        var atOnce = 0
    }
}
