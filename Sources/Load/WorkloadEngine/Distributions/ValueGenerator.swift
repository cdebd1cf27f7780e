import Scenarios
import Synchronization

/// A generator that draws a variable's values.
package struct ValueGenerator: Sendable, Equatable {
    private enum Source: Sendable, Equatable {
        case integer(Generator)
        case text(TextDistribution)
        case blob(BlobDistribution)
        case words(WordsDistribution)
        case template(TemplateDistribution)
        case choice(ChoiceDistribution)
        /// The value in the row that another generator has drawn.
        case row([WorkloadValue])
    }

    private var source: Source
    /// The index of the generator that draws the row of this one's value, or `nil` for none.
    private(set) var rowGenerator: Int?
    private let isHashed: Bool
    /// The prefix in UTF-8, or `nil` for plain integers.
    private let prefix: [UInt8]?
    /// The share of NULL values, from 0 to 1.
    private let nullShare: Double
    /// The integer of the last value, before hashing and conversion to text, or the position of the
    /// last choice.
    private(set) var lastInteger: Int64 = 0
    /// The sequence to which completed accesses publish values, or `nil` if no variable follows the
    /// sequence.
    private(set) var followed: SharedSequence?

    init(
        _ variable: Variable,
        sequence: SharedSequence = SharedSequence(),
        newest: SharedSequence? = nil,
        isFollowed: Bool = false,
        rowGenerator: Int? = nil
    ) {
        self.rowGenerator = rowGenerator
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
        case .choice(let values, _) where rowGenerator != nil:
            source = .row(values)
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
            guard let position = distribution.nextPosition(using: &stream) else { return .null }
            lastInteger = Int64(position)
            return distribution.values[position]
        case .row(let values):
            return values.first ?? .null
        }
    }

    /// Returns the value in a row, given its position among the drawn rows.
    func value(inRow position: Int64) -> WorkloadValue {
        guard case .row(let values) = source, values.indices.contains(Int(position)) else {
            return .null
        }
        return values[Int(position)]
    }

    private mutating func value(of integer: Int64) -> WorkloadValue {
        lastInteger = integer
        var integer = integer
        if isHashed {
            integer = Int64(bitPattern: FNV1a.ycsbHash(UInt64(bitPattern: integer)))
        }
        if let prefix { return .text(Self.text(prefix, integer: integer)) }
        return .integer(integer)
    }

    private static func text(_ prefix: [UInt8], integer: Int64) -> String {
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

/// A distribution that follows Zipf's law, in which the newest integer is the most popular.
///
/// The distribution corresponds to YCSB's `SkewedLatestGenerator` (Cooper et al., "Benchmarking
/// Cloud Serving Systems with YCSB", SoCC 2010). The probabilities of the ranks depend on the
/// current number of integers.
package struct LatestDistribution: Sendable, Equatable {
    private let minimum: Int64
    private let theta: Double
    /// The sequence whose published values extend the range, if any.
    private let sequence: SharedSequence?
    private var newest: Int64
    private var ranks: ZipfianDistribution

    /// Creates a distribution over a fixed range.
    ///
    /// - Precondition: The range has at most 2⁵² integers, and `theta` is greater than 0.
    package init(_ range: ClosedRange<Int64>, theta: Double) {
        self.init(range, theta: theta, following: nil)
    }

    /// Creates a distribution over a range that grows when a sequence publishes larger values.
    init(_ range: ClosedRange<Int64>, theta: Double, following sequence: SharedSequence?) {
        minimum = range.lowerBound
        newest = range.upperBound
        self.theta = theta
        self.sequence = sequence
        ranks = ZipfianDistribution(count: newest - minimum + 1, theta: theta)
    }

    /// Draws the next integer.
    package mutating func next(using stream: inout RandomStream) -> Int64 {
        if let published = sequence?.published, published > newest {
            newest = published
            let count = min(newest - minimum + 1, Variable.mostRanks)
            ranks = ZipfianDistribution(count: count, theta: theta)
        }
        return newest - (ranks.next(using: &stream) - 1)
    }
}

/// A distribution that returns the integers of a range in order, repeatedly.
///
/// The distribution corresponds to YCSB's `SequentialGenerator`. Copies share a counter, so each
/// pass over the range returns each integer once.
package struct SequentialDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// The number of integers in the range, or 0 for 2⁶⁴ integers.
    private let count: UInt64
    /// The counter of the drawn integers.
    let sequence: SharedSequence

    /// Creates a distribution that starts with the smallest integer in `range`.
    package init(_ range: ClosedRange<Int64>) {
        self.init(range, sequence: SharedSequence())
    }

    init(_ range: ClosedRange<Int64>, sequence: SharedSequence) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
        self.sequence = sequence
    }

    /// Returns the next integer.
    package func next() -> Int64 {
        let number = UInt64(bitPattern: sequence.next())
        return minimum &+ Int64(bitPattern: count == 0 ? number : number % count)
    }
}

/// A counter that threads share, with the largest drawn value that is in the database.
///
/// Both numbers are atomic, so threads that draw and publish values never wait for one another.
package final class SharedSequence: Sendable {
    private let drawn = Atomic<Int64>(0)
    private let newest = Atomic<Int64>(.min)

    /// Creates a sequence that starts at 0.
    package init() {}

    /// Returns the next number, starting at 0.
    func next() -> Int64 { drawn.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// The largest published value, or `Int64.min` before the first publication.
    package var published: Int64 { newest.load(ordering: .acquiring) }

    /// Publishes a value that is now in the database, and all smaller values.
    ///
    /// The smaller values are in the database if each writer draws its values while it holds the
    /// write lock. If a transaction fails, the database may lack a published value.
    package func publish(_ value: Int64) {
        _ = newest.max(value, ordering: .releasing)
    }
}

extension SharedSequence: Equatable {
    /// Returns whether both sequences are the same counter.
    package static func == (one: SharedSequence, other: SharedSequence) -> Bool { one === other }
}

/// A weighted distribution of the values in a list.
package struct ChoiceDistribution: Sendable, Equatable {
    fileprivate let values: [WorkloadValue]
    /// For each value, the sum of the weights up to and including that value.
    private let sums: [Double]

    /// Creates the distribution.
    ///
    /// A value without a weight has the weight 1.
    package init(_ values: [WorkloadValue], weights: [Double] = []) {
        self.values = values
        var sum = 0.0
        sums = values.indices.map { index in
            sum += index < weights.count ? weights[index] : 1
            return sum
        }
    }

    /// Draws the next value, or NULL if the list is empty.
    package func next(using stream: inout RandomStream) -> WorkloadValue {
        nextPosition(using: &stream).map { values[$0] } ?? .null
    }

    /// Draws the position of the next value, or returns `nil` if the list is empty.
    fileprivate func nextPosition(using stream: inout RandomStream) -> Int? {
        guard let total = sums.last else { return nil }
        let point = stream.nextUnit() * total
        // Find the first sum above the point.
        var (low, high) = (0, sums.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if point < sums[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
