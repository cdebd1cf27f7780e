/// The growth rate of a count during the last second.
struct RateWindow {
    private var points: [(time: Double, count: UInt64)] = []

    /// Records the count at the given time, in seconds, and returns its growth per second.
    mutating func rate(at time: Double, count: UInt64) -> Double {
        // While the load is paused, time does not advance, so keep only the latest point.
        if points.last?.time == time { points.removeLast() }
        points.append((time, count))
        // Keep the oldest point as close to a second old as the samples allow.
        while points.count > 2, time - points[1].time >= 0.999 { points.removeFirst() }
        guard let first = points.first, time > first.time, count >= first.count else { return 0 }
        return Double(count - first.count) / (time - first.time)
    }
}
