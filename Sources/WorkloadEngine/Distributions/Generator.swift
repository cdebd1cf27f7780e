/// Draws a variable's integers, without allocation.
///
/// Equal streams produce equal integers. Uniform integers are identical on all platforms; others
/// depend on the platforms' `exp`, `log`, `pow` and `sin`.
public enum Generator: Sendable, Equatable {
    /// All integers are equally likely.
    case uniform(UniformDistribution)
    /// Zipf's law; the smallest integer, the associated `minimum`, is the most popular.
    case zipfian(ZipfianDistribution, minimum: Int64)
    /// Zipf's law, with the popular integers spread over the range.
    case scrambledZipfian(ScrambledZipfianDistribution)
    /// Zipf's law; the newest integer is the most popular.
    case latest(LatestDistribution)
    /// A few integers receive most draws.
    case hotspot(HotspotDistribution)
    /// The probability decreases exponentially from the smallest integer on.
    case exponential(TruncatedExponentialDistribution)
    /// Normally distributed around the middle.
    case gaussian(GaussianDistribution)
    /// Consecutive integers.
    case sequential(SequentialDistribution)

    /// The usual theta of benchmarks.
    public static let usualTheta = 0.99

    /// Draws the next integer.
    public mutating func next(using stream: inout RandomStream) -> Int64 {
        switch self {
        case .uniform(let distribution):
            return distribution.next(using: &stream)
        case .zipfian(let distribution, let minimum):
            return minimum + distribution.next(using: &stream) - 1
        case .scrambledZipfian(let distribution):
            return distribution.next(using: &stream)
        case .latest(var distribution):
            let value = distribution.next(using: &stream)
            self = .latest(distribution)
            return value
        case .hotspot(let distribution):
            return distribution.next(using: &stream)
        case .exponential(let distribution):
            return distribution.next(using: &stream)
        case .gaussian(let distribution):
            return distribution.next(using: &stream)
        case .sequential(let distribution):
            return distribution.next()
        }
    }
}
