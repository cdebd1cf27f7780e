/// Draws a variable's integers, without allocation.
///
/// Equal streams give equal integers. Uniform ones are the same on all platforms to the last bit;
/// zipfian ones as far as the platforms' `exp`, `log` and `pow` agree.
public enum Generator: Sendable, Equatable {
    /// Each as likely as any other.
    case uniform(UniformDistribution)
    /// By Zipf's law; the smallest is the most popular. The second value is the smallest.
    case zipfian(ZipfianDistribution, minimum: Int64)
    /// By Zipf's law, the popular ones spread over the range.
    case scrambledZipfian(ScrambledZipfianDistribution)

    /// The theta that benchmarks use.
    public static let usualTheta = 0.99

    /// The next integer.
    public mutating func next(using stream: inout RandomStream) -> Int64 {
        switch self {
        case .uniform(let distribution):
            distribution.next(using: &stream)
        case .zipfian(let distribution, let minimum):
            minimum + distribution.next(using: &stream) - 1
        case .scrambledZipfian(let distribution):
            distribution.next(using: &stream)
        }
    }
}

/// Draws a variable's values.
public enum ValueGenerator: Sendable, Equatable {
    /// Integers.
    case integer(Generator)
    /// Texts.
    case text(TextDistribution)

    /// The next value.
    public mutating func next(using stream: inout RandomStream) -> WorkloadValue {
        switch self {
        case .integer(var generator):
            .integer(generator.next(using: &stream))
        case .text(let distribution):
            .text(distribution.next(using: &stream))
        }
    }
}

extension Variable {
    /// Whether its values are integers, of a range.
    public var isInteger: Bool {
        if case .text = distribution { false } else { true }
    }

    /// What draws its values.
    ///
    /// - Precondition: `minimum` is not above `maximum`.
    public func makeGenerator() -> ValueGenerator {
        switch distribution {
        case .uniform:
            .integer(.uniform(UniformDistribution(minimum...maximum)))
        case .zipfian(let theta, scramble: true):
            .integer(
                .scrambledZipfian(ScrambledZipfianDistribution(minimum...maximum, theta: theta))
            )
        case .zipfian(let theta, scramble: false):
            .integer(
                .zipfian(
                    ZipfianDistribution(count: maximum - minimum + 1, theta: theta),
                    minimum: minimum
                )
            )
        case .text(let length):
            .text(TextDistribution(length: length))
        }
    }
}
