/// The arrivals of an open loop, one after another: known before anything runs.
struct ArrivalSchedule: Sendable {
    /// When the load ends, in load time: no arrival comes at or after it.
    let end: UInt64
    private let process: Arrival.Process
    private let rate: Double
    private let gaps: ExponentialDistribution
    private var random: RandomStream
    /// The time of the last arrival in nanoseconds, which a double holds exactly for 104 days.
    private var time = 0.0
    private var count = 0

    /// Creates a schedule from load time 0 to `end`, in nanoseconds.
    ///
    /// Equal streams give equal schedules.
    init(_ arrival: Arrival, end: UInt64, random: RandomStream) {
        self.end = end
        self.random = random
        process = arrival.process
        rate = arrival.rate
        gaps = ExponentialDistribution(rate: arrival.rate)
    }

    /// The next arrival, in load time; nil when the load ends before it.
    mutating func next() -> UInt64? {
        count += 1
        switch process {
        case .even:
            // Multiplied, not added up: a rounded gap must not shift the rate.
            time = Double(count) * 1e9 / rate
        case .poisson:
            time += gaps.next(using: &random) * 1e9
        }
        guard time < Double(end) else { return nil }
        return UInt64(time)
    }
}
