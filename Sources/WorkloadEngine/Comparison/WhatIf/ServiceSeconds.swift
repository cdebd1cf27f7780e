/// How much slower or faster than on average a client was served, second by second of a run.
///
/// Slow accesses come in bursts: while the machine does something else, while a checkpoint runs.
/// Drawn one by one they would never meet, and the longest waits would not come.
struct ServiceSeconds: Sendable {
    /// One second's mean over that of all of them.
    private let factors: [Double]

    /// Fewer accesses in a second say too little of it.
    private static let leastCount: UInt64 = 30

    /// The seconds of a client in a run.
    init(of client: String, in intervals: [IntervalResult]) {
        var means: [Double?] = []
        var sum = 0.0
        var count = 0.0
        for interval in intervals {
            let second = max(0, Int(interval.time - interval.duration / 2))
            while means.count <= second { means.append(nil) }
            guard let service = interval.clients[client]?.service,
                service.count >= Self.leastCount
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

    /// The factor at a time of the load, in nanoseconds.
    func factor(at time: Double) -> Double {
        let second = Int(time / 1e9)
        return factors.indices.contains(second) ? factors[second] : 1
    }
}
