/// A random value that statements use as `:name` or that fills a dataset's column.
///
/// A variable is constant within one access.
public struct Variable: Sendable, Equatable {
    /// The largest integer in a range, which is small enough that the sum of two bounds cannot
    /// overflow.
    public static let largest = Int64.max / 2

    /// The distribution of the values.
    public indirect enum Distribution: Sendable, Equatable {
        /// A uniform distribution, in which all integers in the range are equally likely.
        case uniform
        /// Zipf's law with exponent theta, in which the smallest integer is the most popular.
        /// `scramble` spreads popular integers over the range.
        case zipfian(theta: Double, scramble: Bool)
        /// Zipf's law in descending order, in which the largest integer is the most popular. If a
        /// sequential variable is given, the largest integer is that variable's largest value in a
        /// completed access.
        case latest(theta: Double, of: String?)
        /// A hotspot distribution, in which the share `set` at the start of the range receives the
        /// share `draws` of the draws.
        case hotspot(set: Double, draws: Double)
        /// A distribution whose probability decreases exponentially, by a factor of e^−parameter
        /// over the whole range.
        case exponential(parameter: Double)
        /// A normal distribution around the middle, truncated at `parameter` standard deviations.
        case gaussian(parameter: Double)
        /// Consecutive integers, which start over after the largest one. All workers share the
        /// counter.
        case sequential
        /// Random letters, digits and spaces.
        case text(length: Length)
        /// Random bytes.
        case blob(length: Length)
        /// Words from a vocabulary, by Zipf's law. The length is the number of words.
        case words(length: Length, vocabulary: Int)
        /// Text from a template, in which `#` becomes a digit and `@` a lowercase letter.
        case template(String)
        /// One of several values, in proportion to their weights.
        case choice([WorkloadValue], weights: [Double])
    }

    /// A table's column.
    public struct Column: Sendable, Hashable {
        /// The table's name, without quotes.
        public var table: String
        /// The column's name, without quotes.
        public var name: String
        /// For a choice, the exponent of Zipf's law for the popularity of values, which are ranked
        /// in random order.
        ///
        /// If this property is `nil`, each value is drawn with its frequency in the rows.
        public var theta: Double?

        /// Creates a reference to a column.
        public init(table: String, name: String, theta: Double? = nil) {
            self.table = table
            self.name = name
            self.theta = theta
        }
    }

    /// The length of text or a blob, which is fixed or random.
    public indirect enum Length: Sendable, Equatable, ExpressibleByIntegerLiteral {
        /// A constant length.
        case fixed(Int)
        /// A random length, at least 0.
        case drawn(Variable)

        /// Creates a constant length.
        public init(integerLiteral value: Int) { self = .fixed(value) }
    }

    /// The distribution of the values.
    public var distribution: Distribution
    /// The smallest integer, for distributions of integers.
    public var minimum: Int64
    /// The largest integer, for distributions of integers.
    public var maximum: Int64
    /// The column in the run's database that provides the values when a run starts, or `nil` if the
    /// variable does not use the database.
    public var column: Column?
    /// Whether YCSB's hash replaces each integer, which separates adjacent integers.
    public var isHashed = false
    /// The text that precedes an integer, such as `user` in `user42`.
    ///
    /// With a prefix, the value is text.
    public var prefix: String?
    /// The share of the values that are NULL, 0…1.
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

    /// The sequential variable whose newest value is the top of this variable's range.
    var followedVariable: String? {
        if case .latest(_, let name) = distribution { name } else { nil }
    }

    /// Whether the values come from integers in a range, even if they become text.
    public var isInteger: Bool {
        switch distribution {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }
}
