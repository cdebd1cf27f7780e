/// Draws the integers of a variable without allocating memory.
///
/// Equal streams produce equal integers. Uniform integers are identical on all platforms. Other
/// integers depend on the platform's `exp`, `log`, `pow`, and `sin`.
public enum Generator: Sendable, Equatable {
    /// A uniform distribution, in which all integers are equally likely.
    case uniform(UniformDistribution)
    /// Zipf's law, with the smallest integer (`minimum`) as the most popular.
    case zipfian(ZipfianDistribution, minimum: Int64)
    /// Zipf's law, with the popular integers spread over the range.
    case scrambledZipfian(ScrambledZipfianDistribution)
    /// Zipf's law, with the newest integer as the most popular.
    case latest(LatestDistribution)
    /// A hotspot distribution, in which a few integers receive most of the draws.
    case hotspot(HotspotDistribution)
    /// An exponential distribution, with the smallest integer as the most likely.
    case exponential(TruncatedExponentialDistribution)
    /// A normal distribution around the middle.
    case gaussian(GaussianDistribution)
    /// Consecutive integers.
    case sequential(SequentialDistribution)

    /// The theta that benchmarks usually use.
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
