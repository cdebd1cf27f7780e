extension WorkerRecorder {
    /// A worker's measurements in a time interval.
    struct Window: Sendable {
        /// The latencies at each cell, or `nil` at a cell without latencies.
        ///
        /// Most operations occur in only one phase per second, so memory is allocated on demand.
        private(set) var histograms: [AccessHistograms?]
        /// The lag of each measured access for which the worker was free and only had to wake up.
        var freeLag = LatencyHistogram()
        /// The times at which the worker held its connection.
        var holds = HoldLog()
        /// The slowest measured accesses.
        var slow = SlowAccesses()

        /// Creates an empty window.
        init(cells: Int) {
            histograms = Array(repeating: nil, count: cells)
        }

        /// Counts the latencies of a completed access.
        @inline(__always)
        mutating func count(_ stamps: Stamps, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.count(stamps)
        }

        /// Counts the lag of an access, in nanoseconds.
        @inline(__always)
        mutating func count(lag: UInt64, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.lag.count(lag)
        }

        /// Resets all counts but keeps the memory.
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
