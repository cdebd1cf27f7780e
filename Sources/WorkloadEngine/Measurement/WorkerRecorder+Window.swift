extension WorkerRecorder {
    /// What a worker measured in a stretch of time.
    struct Window: Sendable {
        /// The latencies of each place; nil where there were none ever.
        ///
        /// Most operations meet one phase in a second: memory for all of them would be wasted.
        private(set) var histograms: [AccessHistograms?]
        /// The lag of measured accesses whose worker was free and only had to wake up.
        var freeLag = LatencyHistogram()
        /// When it held its connection.
        var holds = HoldLog()
        /// Its slowest measured accesses.
        var slow = SlowAccesses()

        /// Creates an empty window.
        init(places: Int) {
            histograms = Array(repeating: nil, count: places)
        }

        /// Counts the latencies of a completed access.
        @inline(__always)
        mutating func count(_ stamps: Stamps, at place: Int) {
            if histograms[place] == nil { histograms[place] = AccessHistograms() }
            histograms[place]?.count(stamps)
        }

        /// Counts how late an access starts, in nanoseconds.
        @inline(__always)
        mutating func count(lag: UInt64, at place: Int) {
            if histograms[place] == nil { histograms[place] = AccessHistograms() }
            histograms[place]?.lag.count(lag)
        }

        /// Forgets all counts, keeping the memory.
        mutating func clear() {
            for index in histograms.indices { histograms[index]?.clear() }
            freeLag.clear()
            holds.clear()
            slow.clear()
        }
    }
}

extension AccessHistograms {
    /// Counts the latencies of one completed access.
    @inline(__always)
    fileprivate mutating func count(_ stamps: WorkerRecorder.Stamps) {
        response.count(stamps.end &- min(stamps.end, stamps.intended))
        wait.count(stamps.entry &- min(stamps.entry, stamps.start))
        service.count(stamps.end &- min(stamps.end, stamps.entry))
        if let time = stamps.processorTime { processor.count(time) }
    }
}
