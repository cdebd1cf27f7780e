/// The time that a worker in a closed loop waits after an access.
public enum ThinkTime: Sendable, Equatable {
    /// A constant time.
    case constant(Duration)
    /// A uniformly distributed time.
    case uniform(ClosedRange<Duration>)
    /// An exponentially distributed time, as between events in a Poisson process.
    case exponential(mean: Duration)

    /// Whether accesses are so rare that their think times are stratified, so that a run of twice
    /// the mean contains an access.
    var isStratified: Bool {
        if case .exponential(let mean) = self { mean >= .seconds(1) } else { false }
    }

    /// The mean of the time.
    var mean: Duration {
        switch self {
        case .constant(let duration), .exponential(let duration): duration
        case .uniform(let range): (range.lowerBound + range.upperBound) / 2
        }
    }

    /// Draws a think time in nanoseconds, or returns 0 without random numbers.
    func nanoseconds(using random: inout RandomStream?) -> UInt64 {
        guard var stream = random else { return 0 }
        defer { random = stream }
        switch self {
        case .constant(let duration):
            return duration.wholeNanoseconds
        case .uniform(let range):
            let minimum = range.lowerBound.wholeNanoseconds
            return minimum + stream.next(below: range.upperBound.wholeNanoseconds - minimum + 1)
        case .exponential(let mean):
            let gap = ExponentialDistribution(rate: 1).next(using: &stream)
            return UInt64(min(gap * Double(mean.wholeNanoseconds), 1e18))
        }
    }
}
