/// The time that a worker in a closed loop waits after an access.
public enum ThinkTime: Sendable, Equatable {
    /// A constant time.
    case constant(Duration)
    /// A uniformly distributed time.
    case uniform(ClosedRange<Duration>)
    /// An exponentially distributed time, as between events in a Poisson process.
    case exponential(mean: Duration)

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
