/// A client's service times in each second of a run, relative to the mean.
///
/// Slow accesses occur in bursts, such as during a checkpoint or while the machine does other work.
/// With independently drawn service times, slow accesses would not coincide, and the longest waits
/// would not occur.
struct ServiceSeconds: Sendable {
    /// Each known second's mean divided by the mean of all seconds.
    ///
    /// A dictionary limits the memory, because a damaged result may contain intervals in the far
    /// future.
    private let factors: [Int: Double]

    private static let minimumCount: UInt64 = 30

    init(of client: String, in intervals: [IntervalResult]) {
        var means: [Int: Double] = [:]
        var sum = 0.0
        var count = 0.0
        for interval in intervals {
            let second = max(0, Int(interval.time - interval.duration / 2))
            guard let service = interval.clients[client]?.service,
                service.count >= Self.minimumCount
            else { continue }
            means[second] = Double(service.mean)
            sum += Double(service.mean) * Double(service.count)
            count += Double(service.count)
        }
        guard count > 0, sum > 0 else {
            factors = [:]
            return
        }
        factors = means.mapValues { $0 * count / sum }
    }

    /// Returns the factor at a time in the load, in nanoseconds.
    func factor(at time: Double) -> Double {
        factors[Int(time / 1e9)] ?? 1
    }
}
