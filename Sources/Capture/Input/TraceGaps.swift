/// A type that fills the periods in which a process had no probes.
///
/// A trace removes the probes of a process for a while if they would slow it down too much. The
/// executions that it recorded in the other periods are repeated, so that the load has the observed
/// rates, and the executions of other processes keep their times.
struct TraceGaps {
    /// The gaps of each process in order, without overlaps.
    private let gaps: [Int: [ClosedRange<Double>]]
    /// The time of the trace.
    private let period: ClosedRange<Double>
    /// The maximum number of executions to return.
    var limit = 1_000_000

    /// A period with probes and its executions.
    private struct Window {
        var period: ClosedRange<Double>
        var executions: [CapturedExecution]
        var length: Double { period.upperBound - period.lowerBound }
    }

    /// The shortest window, and the shortest gap to fill, in seconds.
    private static let shortestWindow = 1e-3
    private static let shortestGap = 0.01

    /// Creates the gaps from ranges that may be in any order and may overlap.
    init(_ gaps: [Int: [ClosedRange<Double>]], in period: ClosedRange<Double>) {
        self.period = period
        self.gaps = gaps.mapValues { ranges in
            var merged: [ClosedRange<Double>] = []
            for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                let gap = range.clamped(to: period)
                if let last = merged.last, gap.lowerBound <= last.upperBound {
                    merged[merged.count - 1] =
                        last.lowerBound...max(last.upperBound, gap.upperBound)
                } else {
                    merged.append(gap)
                }
            }
            return merged
        }
    }

    /// Repeats executions in the gaps of their processes.
    ///
    /// - Parameter executions: The executions, ordered by end time for each connection.
    /// - Returns: The executions, and their time. If there would be too many executions, it is the
    ///   first part of the trace.
    func filled(
        _ executions: [CapturedExecution]
    ) -> (executions: [CapturedExecution], period: ClosedRange<Double>) {
        var filled = executions.filter { gaps[$0.process] == nil }
        var windows: [Int: [Window]] = [:]
        for (process, executions) in Dictionary(grouping: executions, by: \.process)
        where gaps[process] != nil {
            windows[process] = self.windows(of: process, executions)
        }
        let length = period.upperBound - period.lowerBound
        let count = windows.values.reduce(Double(filled.count)) { count, windows in
            let recorded = windows.reduce(0) { $0 + $1.length }
            return count + Double(windows.reduce(0) { $0 + $1.executions.count }) * length
                / max(recorded, Self.shortestWindow)
        }
        let share = min(1, Double(limit) / max(count, 1))
        let period = period.lowerBound...(period.lowerBound + length * share)
        if share < 1 { filled.removeAll { $0.end > period.upperBound } }
        for windows in windows.values { filled += Self.repeated(windows, in: period) }
        let order = filled.indices.sorted { (filled[$0].end, $0) < (filled[$1].end, $1) }
        return (order.map { filled[$0] }, period)
    }

    private func windows(of process: Int, _ executions: [CapturedExecution]) -> [Window] {
        var windows: [Window] = []
        var start = period.lowerBound
        for gap in (gaps[process] ?? []) + [period.upperBound...period.upperBound] {
            if gap.lowerBound - start >= Self.shortestWindow {
                windows.append(Window(period: start...gap.lowerBound, executions: []))
            }
            start = max(start, gap.upperBound)
        }
        for execution in executions {
            // Executions in a gap are incomplete.
            guard let number = windows.firstIndex(where: { $0.period.contains(execution.end) })
            else { continue }
            windows[number].executions.append(execution)
        }
        return windows
    }

    /// Fills a period with windows, each of which keeps its time, and others in the time between.
    private static func repeated(
        _ windows: [Window],
        in period: ClosedRange<Double>
    ) -> [CapturedExecution] {
        guard windows.contains(where: { !$0.executions.isEmpty }) else { return [] }
        var filled: [CapturedExecution] = []
        var position = period.lowerBound
        var piece = 0
        // The next window to repeat.
        var next = 0
        func add(_ window: Window, upTo end: Double) {
            piece += 1
            for var execution in window.executions {
                execution.end += position - window.period.lowerBound
                guard execution.end <= end else { break }
                execution.piece = piece
                filled.append(execution)
            }
            position = min(end, position + window.length)
        }
        for window in windows + [
            Window(period: period.upperBound...period.upperBound, executions: [])
        ] {
            let gapEnd = min(window.period.lowerBound, period.upperBound)
            if gapEnd - position < Self.shortestGap { position = max(position, gapEnd) }
            while position < gapEnd {
                add(windows[next % windows.count], upTo: gapEnd)
                next += 1
            }
            if position < period.upperBound { add(window, upTo: period.upperBound) }
        }
        return filled
    }
}
