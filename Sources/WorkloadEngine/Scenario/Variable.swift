/// A random value that statements use as `:name`, or that fills a column of a dataset.
///
/// A variable is constant within one access.
public struct Variable: Sendable, Equatable {
    /// The largest integer that a range may have, so that no sum of two bounds overflows.
    public static let largest = Int64.max / 2

    /// The distribution of the values.
    public indirect enum Distribution: Sendable, Equatable {
        /// All integers of the range are equally likely.
        case uniform
        /// Zipf's law with exponent theta; the smallest integer is the most popular. `scramble`
        /// spreads popular integers over the range.
        case zipfian(theta: Double, scramble: Bool)
        /// Zipf's law from the top: the newest integer is the most popular. With the name of a
        /// sequential variable, the top is its largest value in a completed access.
        case latest(theta: Double, of: String?)
        /// A share of the range, at its start, receives a share of the draws.
        case hotspot(set: Double, draws: Double)
        /// The probability decreases exponentially, by e^−parameter over the whole range.
        case exponential(parameter: Double)
        /// A normal distribution around the middle, truncated at `parameter` standard deviations.
        case gaussian(parameter: Double)
        /// Consecutive integers, which repeat after the largest; all workers share the counter.
        case sequential
        /// Random letters, digits and spaces.
        case text(length: Length)
        /// Random bytes.
        case blob(length: Length)
        /// Words of a vocabulary, by Zipf's law; the length counts words.
        case words(length: Length, vocabulary: Int)
        /// A text in which `#` becomes a digit and `@` a lowercase letter.
        case template(String)
        /// One of several values, in proportion to their weights.
        case choice([WorkloadValue], weights: [Double])
    }

    /// A column of a table.
    public struct Column: Sendable, Hashable {
        /// The table's name, without quotes.
        public var table: String
        /// The column's name, without quotes.
        public var name: String
        /// For a choice: the exponent of Zipf's law for the popularity of values, in random order;
        /// nil to draw each value with its frequency in the rows.
        public var theta: Double?

        /// Creates a reference to a column.
        public init(table: String, name: String, theta: Double? = nil) {
            self.table = table
            self.name = name
            self.theta = theta
        }
    }

    /// The length of a text or a blob: fixed or random.
    public indirect enum Length: Sendable, Equatable, ExpressibleByIntegerLiteral {
        /// A constant length.
        case fixed(Int)
        /// A random length, at least 0.
        case drawn(Variable)

        /// A fixed length.
        public init(integerLiteral value: Int) { self = .fixed(value) }
    }

    /// The distribution of the values.
    public var distribution: Distribution
    /// The smallest integer, for distributions of integers.
    public var minimum: Int64
    /// The largest integer, for distributions of integers.
    public var maximum: Int64
    /// The column of the run's database that provides the values when a run starts; nil for a
    /// variable that needs no database.
    public var column: Column?
    /// Whether YCSB's hash replaces an integer, so that neighboring integers are far apart.
    public var isHashed = false
    /// Text that precedes an integer, such as `user` in `user42`; the value is then text.
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

    /// The sequential variable whose newest value is the top of this variable.
    var followedVariable: String? {
        if case .latest(_, let name) = distribution { name } else { nil }
    }

    /// Whether the values come from integers of a range, even if they become texts.
    public var isInteger: Bool {
        switch distribution {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }
}
