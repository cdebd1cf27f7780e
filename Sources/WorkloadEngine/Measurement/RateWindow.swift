/// How fast a count grows over the last second.
struct RateWindow {
    private var points: [(time: Double, count: UInt64)] = []

    /// Notes the count at a time in seconds, and returns its growth per second.
    mutating func rate(at time: Double, count: UInt64) -> Double {
        // A time that stands still (the load is paused) keeps one point, the latest.
        if points.last?.time == time { points.removeLast() }
        points.append((time, count))
        // The oldest point lies a second back, as exactly as the samples allow.
        while points.count > 2, time - points[1].time >= 0.999 { points.removeFirst() }
        guard let first = points.first, time > first.time, count >= first.count else { return 0 }
        return Double(count - first.count) / (time - first.time)
    }
}
