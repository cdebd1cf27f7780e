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
        mutating func count(_ timestamps: Timestamps, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.count(timestamps)
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
    fileprivate mutating func count(_ timestamps: WorkerRecorder.Timestamps) {
        response.count(timestamps.end &- min(timestamps.end, timestamps.intended))
        wait.count(timestamps.entry &- min(timestamps.entry, timestamps.start))
        service.count(timestamps.end &- min(timestamps.end, timestamps.entry))
        if let time = timestamps.processorTime { processor.count(time) }
    }
}
