/// A random value that statements use as `:name`, or that fills a column of a dataset.
///
/// Inside one access a variable has one value, however often it appears.
public struct Variable: Sendable, Equatable {
    /// The largest integer that a range may have, so that no sum of two bounds overflows.
    public static let largest = Int64.max / 2

    /// How the values are spread.
    public indirect enum Distribution: Sendable, Equatable {
        /// Each integer of the range is as likely as any other.
        case uniform
        /// Zipf's law with exponent theta, the smallest the most popular; scrambled spreads the
        /// popular ones over the range.
        case zipfian(theta: Double, scramble: Bool)
        /// Zipf's law from the top: the newest is the most popular. With the name of a sequential
        /// variable, the top is the largest value of it that a completed access used.
        case latest(theta: Double, of: String?)
        /// A share of the range, at its beginning, gets a share of the draws.
        case hotspot(set: Double, draws: Double)
        /// Exponentially fewer from the smallest on: after the whole range by e^−parameter.
        case exponential(parameter: Double)
        /// The normal distribution around the middle, cut at `parameter` standard deviations.
        case gaussian(parameter: Double)
        /// One after another, begun again after the largest; all workers share the count.
        case sequential
        /// Random letters, digits and blanks.
        case text(length: Length)
        /// Random bytes.
        case blob(length: Length)
        /// Words of a vocabulary, by Zipf's law; the length counts words.
        case words(length: Length, vocabulary: Int)
        /// A text in which `#` is a digit and `@` a small letter.
        case template(String)
        /// One of some values, each in proportion to its weight.
        case choice([WorkloadValue], weights: [Double])
    }

    /// A column of a table.
    public struct Column: Sendable, Hashable {
        /// The table's name, without quotes.
        public var table: String
        /// The column's name, without quotes.
        public var name: String
        /// For a choice: the exponent of Zipf's law by which some values, whichever they are, are
        /// more popular than others; nil where each is drawn as often as rows have it.
        public var theta: Double?

        /// Creates a reference to a column.
        public init(table: String, name: String, theta: Double? = nil) {
            self.table = table
            self.name = name
            self.theta = theta
        }
    }

    /// How long a text or a blob is: fixed, or drawn.
    public indirect enum Length: Sendable, Equatable, ExpressibleByIntegerLiteral {
        /// Always the same.
        case fixed(Int)
        /// Each time another, from integers of at least 0.
        case drawn(Variable)

        /// A fixed length.
        public init(integerLiteral value: Int) { self = .fixed(value) }
    }

    /// How the values are spread.
    public var distribution: Distribution
    /// The smallest value, where the distribution is one of integers.
    public var minimum: Int64
    /// The largest value, where the distribution is one of integers.
    public var maximum: Int64
    /// The column of the run's database that its values come from, once a run starts; nil for a
    /// variable that needs no database.
    public var column: Column?
    /// Whether YCSB's hash of an integer takes its place, so that neighbours are far apart.
    public var isHashed = false
    /// What is written before an integer, which makes it a text, such as `user42`.
    public var prefix: String?
    /// The share of the values that are NULL, in 0…1.
    public var nulls = 0.0

    /// Creates a variable.
    public init(
        distribution: Distribution,
        minimum: Int64 = 0,
        maximum: Int64 = 0,
        isHashed: Bool = false,
        prefix: String? = nil,
        nulls: Double = 0,
        column: Column? = nil
    ) {
        self.distribution = distribution
        self.minimum = minimum
        self.maximum = maximum
        self.isHashed = isHashed
        self.prefix = prefix
        self.nulls = nulls
        self.column = column
    }

    /// The sequential variable whose newest value is this one's largest.
    var followedVariable: String? {
        if case .latest(_, let name) = distribution { name } else { nil }
    }

    /// Whether it is made of integers of a range, whatever is written around them.
    public var isInteger: Bool {
        switch distribution {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }
}
