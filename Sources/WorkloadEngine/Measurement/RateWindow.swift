/// A sliding window that computes the growth rate of a count over about the last second.
struct RateWindow {
    private var points: [(time: Double, count: UInt64)] = []

    /// Records a count at the given time, in seconds, and returns the growth per second.
    mutating func recordCount(_ count: UInt64, at time: Double) -> Double {
        // Time does not advance while the load is paused, so keep only the latest point.
        if points.last?.time == time { points.removeLast() }
        points.append((time, count))
        while points.count > 2, time - points[1].time >= 0.999 { points.removeFirst() }
        guard let first = points.first, time > first.time, count >= first.count else { return 0 }
        return Double(count - first.count) / (time - first.time)
    }
}
