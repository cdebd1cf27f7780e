/// A generator that draws the integers of a variable without allocating memory.
///
/// Equal streams produce equal integers. Uniform integers are identical on all platforms. Other
/// integers depend on the platform's `exp`, `log`, `pow`, and `sin`.
package enum Generator: Sendable, Equatable {
    /// All integers are equally likely.
    case uniform(UniformDistribution)
    /// Zipf's law, in which the smallest integer (`minimum`) is the most popular.
    case zipfian(ZipfianDistribution, minimum: Int64)
    /// Zipf's law, in which the popular integers are spread over the range.
    case scrambledZipfian(ScrambledZipfianDistribution)
    /// Zipf's law, in which the newest integer is the most popular.
    case latest(LatestDistribution)
    /// A few integers receive most of the draws.
    case hotspot(HotspotDistribution)
    /// An exponential distribution, in which the smallest integer is the most likely.
    case exponential(TruncatedExponentialDistribution)
    /// A normal distribution around the middle of the range.
    case gaussian(GaussianDistribution)
    /// Consecutive integers.
    case sequential(SequentialDistribution)

    /// The theta that most benchmarks use.
    package static let usualTheta = 0.99

    /// Draws the next integer.
    package mutating func next(using stream: inout RandomStream) -> Int64 {
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
