/// A client's service times in each second of a run, relative to the mean.
///
/// Slow accesses occur in bursts, such as during a checkpoint or while the machine does other work.
/// With independently drawn service times, slow accesses would not coincide, and the longest waits
/// would not occur.
struct ServiceSeconds: Sendable {
    /// Each second's mean divided by the mean of all seconds.
    private let factors: [Double]

    private static let minimumCount: UInt64 = 30

    init(of client: String, in intervals: [IntervalResult]) {
        var means: [Double?] = []
        var sum = 0.0
        var count = 0.0
        for interval in intervals {
            let second = max(0, Int(interval.time - interval.duration / 2))
            while means.count <= second { means.append(nil) }
            guard let service = interval.clients[client]?.service,
                service.count >= Self.minimumCount
            else { continue }
            means[second] = Double(service.mean)
            sum += Double(service.mean) * Double(service.count)
            count += Double(service.count)
        }
        guard count > 0, sum > 0 else {
            factors = []
            return
        }
        factors = means.map { $0.map { $0 * count / sum } ?? 1 }
    }

    /// Returns the factor at a time in the load, in nanoseconds.
    func factor(at time: Double) -> Double {
        let second = Int(time / 1e9)
        return factors.indices.contains(second) ? factors[second] : 1
    }
}
