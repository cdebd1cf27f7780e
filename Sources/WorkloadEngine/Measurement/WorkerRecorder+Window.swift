extension WorkerRecorder {
    /// The measurements since the previous exchange of windows.
    struct Window: Sendable {
        /// The latencies of each cell, or `nil` for a cell without latencies.
        ///
        /// Histograms are allocated on demand, because within a second, most operations occur in
        /// only one phase.
        private(set) var histograms: [AccessHistograms?]
        /// The lag of measured accesses that had a free worker.
        var freeLag = LatencyHistogram()
        var holds = HoldLog()
        var slow = SlowAccesses()

        init(cells: Int) {
            histograms = Array(repeating: nil, count: cells)
        }

        @inline(__always)
        mutating func count(_ stamps: Stamps, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.count(stamps)
        }

        @inline(__always)
        mutating func count(lag: UInt64, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.lag.count(lag)
        }

        mutating func clear() {
            for index in histograms.indices { histograms[index]?.clear() }
            freeLag.clear()
            holds.clear()
            slow.clear()
        }
    }
}

extension AccessHistograms {
    @inline(__always)
    fileprivate mutating func count(_ stamps: WorkerRecorder.Stamps) {
        response.count(stamps.end &- min(stamps.end, stamps.intended))
        wait.count(stamps.entry &- min(stamps.entry, stamps.start))
        service.count(stamps.end &- min(stamps.end, stamps.entry))
        if let time = stamps.processorTime { processor.count(time) }
    }
}
