/// A generator that draws a variable's values.
package struct ValueGenerator: Sendable, Equatable {
    private enum Source: Sendable, Equatable {
        case integer(Generator)
        case text(TextDistribution)
        case blob(BlobDistribution)
        case words(WordsDistribution)
        case template(TemplateDistribution)
        case choice(ChoiceDistribution)
    }

    private var source: Source
    private let isHashed: Bool
    /// The prefix in UTF-8, or `nil` for plain integers.
    private let prefix: [UInt8]?
    /// The share of NULL values, from 0 to 1.
    private let nullShare: Double
    /// The integer of the last value, before hashing and conversion to text.
    private(set) var lastInteger: Int64 = 0
    /// The sequence to which completed accesses publish values, or `nil` if no variable follows the
    /// sequence.
    private(set) var followed: SharedSequence?

    init(
        _ variable: Variable,
        sequence: SharedSequence = SharedSequence(),
        newest: SharedSequence? = nil,
        isFollowed: Bool = false
    ) {
        isHashed = variable.isHashed
        prefix = variable.prefix.map { Array($0.utf8) }
        nullShare = variable.nulls
        followed = isFollowed ? sequence : nil
        switch variable.distribution {
        case .text(let length):
            source = .text(TextDistribution(lengths: length.distribution))
        case .blob(let length):
            source = .blob(BlobDistribution(lengths: length.distribution))
        case .words(let length, let vocabulary):
            source = .words(
                WordsDistribution(lengths: length.distribution, vocabulary: vocabulary)
            )
        case .template(let template):
            source = .template(TemplateDistribution(template))
        case .choice(let values, let weights):
            source = .choice(ChoiceDistribution(values, weights: weights))
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential:
            source = .integer(variable.integerGenerator(sequence: sequence, newest: newest))
        }
    }

    /// Draws the next value.
    package mutating func next(using stream: inout RandomStream) -> WorkloadValue {
        if nullShare > 0, stream.nextUnit() < nullShare { return .null }
        switch source {
        case .integer(var generator):
            let integer = generator.next(using: &stream)
            source = .integer(generator)
            return value(of: integer)
        case .text(var distribution):
            let text = distribution.next(using: &stream)
            source = .text(distribution)
            return .text(text)
        case .blob(var distribution):
            let bytes = distribution.next(using: &stream)
            source = .blob(distribution)
            return .blob(bytes)
        case .words(var distribution):
            let text = distribution.next(using: &stream)
            source = .words(distribution)
            return .text(text)
        case .template(let distribution):
            return .text(distribution.next(using: &stream))
        case .choice(let distribution):
            return distribution.next(using: &stream)
        }
    }

    private mutating func value(of integer: Int64) -> WorkloadValue {
        lastInteger = integer
        var integer = integer
        if isHashed {
            integer = Int64(bitPattern: FNV1a.ycsbHash(UInt64(bitPattern: integer)))
        }
        if let prefix { return .text(Self.text(prefix, integer)) }
        return .integer(integer)
    }

    private static func text(_ prefix: [UInt8], _ integer: Int64) -> String {
        // An Int64 needs at most twenty bytes for its digits and sign.
        String(unsafeUninitializedCapacity: prefix.count + 20) { buffer in
            var digits = 1
            var rest = integer.magnitude
            while rest >= 10 {
                rest /= 10
                digits += 1
            }
            var end = prefix.count + digits + (integer < 0 ? 1 : 0)
            let length = end
            rest = integer.magnitude
            for _ in 0..<digits {
                end -= 1
                buffer[end] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            if integer < 0 { buffer[end - 1] = UInt8(ascii: "-") }
            for (index, byte) in prefix.enumerated() { buffer[index] = byte }
            return length
        }
    }
}

extension Variable {
    /// Creates an independent generator for the variable's values.
    ///
    /// A `latest` variable does not follow a sequence.
    ///
    /// - Precondition: `minimum` does not exceed `maximum`.
    package func makeGenerator() -> ValueGenerator { ValueGenerator(self) }

    fileprivate func integerGenerator(
        sequence: SharedSequence,
        newest: SharedSequence?
    ) -> Generator {
        let range = minimum...maximum
        switch distribution {
        case .zipfian(let theta, scramble: true):
            return .scrambledZipfian(ScrambledZipfianDistribution(range, theta: theta))
        case .zipfian(let theta, scramble: false):
            return .zipfian(
                ZipfianDistribution(count: maximum - minimum + 1, theta: theta),
                minimum: minimum
            )
        case .latest(let theta, _):
            return .latest(LatestDistribution(range, theta: theta, following: newest))
        case .hotspot(let set, let draws):
            return .hotspot(HotspotDistribution(range, hotShare: set, hotDrawShare: draws))
        case .exponential(let parameter):
            return .exponential(TruncatedExponentialDistribution(range, parameter: parameter))
        case .gaussian(let parameter):
            return .gaussian(GaussianDistribution(range, parameter: parameter))
        case .sequential:
            return .sequential(SequentialDistribution(range, sequence: sequence))
        case .uniform, .text, .blob, .words, .template, .choice:
            return .uniform(UniformDistribution(range))
        }
    }
}

extension Variable.Length {
    fileprivate var distribution: LengthDistribution {
        switch self {
        case .fixed(let length): .fixed(length)
        case .drawn(let variable):
            .drawn(variable.integerGenerator(sequence: SharedSequence(), newest: nil))
        }
    }
}
