/// Draws a variable's integers, without allocation.
///
/// Equal streams give equal integers. Uniform ones are the same on all platforms to the last bit;
/// the others as far as the platforms' `exp`, `log`, `pow` and `sin` agree.
public enum Generator: Sendable, Equatable {
    /// Each as likely as any other.
    case uniform(UniformDistribution)
    /// By Zipf's law; the smallest is the most popular. The second value is the smallest.
    case zipfian(ZipfianDistribution, minimum: Int64)
    /// By Zipf's law, the popular ones spread over the range.
    case scrambledZipfian(ScrambledZipfianDistribution)
    /// By Zipf's law, the newest the most popular.
    case latest(LatestDistribution)
    /// Most draws for a few.
    case hotspot(HotspotDistribution)
    /// Exponentially fewer from the smallest on.
    case exponential(TruncatedExponentialDistribution)
    /// Normally distributed around the middle.
    case gaussian(GaussianDistribution)
    /// One after another.
    case sequential(SequentialDistribution)

    /// The theta that benchmarks use.
    public static let usualTheta = 0.99

    /// The next integer.
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
