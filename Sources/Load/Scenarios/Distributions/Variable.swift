/// A random value for `:name` parameters or for a column of a dataset.
///
/// A variable is constant within an access.
public struct Variable: Sendable, Equatable {
    /// The largest integer in a range, chosen so that the sum of two bounds cannot overflow.
    public static let largest = Int64.max / 2
    /// The theta that most benchmarks use.
    package static let usualTheta = 0.99
    /// The maximum number of ranks of Zipf's law, up to which `Double` represents every integer and
    /// half-integer.
    package static let mostRanks: Int64 = 1 << 52
    /// The minimum parameter of a normal distribution, for which 4.6% of the draws are repeated.
    package static let leastParameter = 2.0

    /// The distribution of the values.
    public indirect enum Distribution: Sendable, Equatable {
        /// A uniform distribution of the integers in the range.
        case uniform
        /// Zipf's law with exponent `theta`, with the smallest integer as the most popular.
        ///
        /// `scramble` spreads popular integers over the range.
        case zipfian(theta: Double, scramble: Bool)
        /// Zipf's law in descending order, with the largest integer as the most popular.
        ///
        /// If `of` names a sequential variable, the largest integer is that variable's largest
        /// value in a completed access.
        case latest(theta: Double, of: String?)
        /// A hotspot at the start of the range.
        ///
        /// The share `set` of the range receives the share `draws` of the draws.
        case hotspot(set: Double, draws: Double)
        /// A probability that decreases exponentially, by a factor of e^parameter over the range.
        case exponential(parameter: Double)
        /// A normal distribution around the middle, truncated at `parameter` standard deviations.
        case gaussian(parameter: Double)
        /// Consecutive integers from a counter that all workers share and that starts over at the
        /// end.
        case sequential
        /// Random letters, digits, and spaces.
        case text(length: Length)
        /// Random bytes.
        case blob(length: Length)
        /// Words from a vocabulary, chosen by Zipf's law, with the number of words as the length.
        case words(length: Length, vocabulary: Int)
        /// Text from a template, with a digit for each `#` and a lowercase letter for each `@`.
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
        /// The exponent of Zipf's law for a choice with randomly ranked values.
        ///
        /// If this property is 0, all values are equally likely. If it is `nil`, the frequencies in
        /// the rows determine the popularity of the values.
        public var theta: Double?
        /// The variable from whose row a choice takes its value, or `nil` to draw a row.
        public var sameRow: String?

        /// Creates a reference to a column.
        public init(table: String, name: String, theta: Double? = nil, sameRow: String? = nil) {
            self.table = table
            self.name = name
            self.theta = theta
            self.sameRow = sameRow
        }
    }

    /// The length of random text, words, or a blob.
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
    /// The column that provides the values at the start of a run, or `nil` for none.
    public var column: Column?
    /// Whether YCSB's hash replaces each integer to separate adjacent integers.
    public var isHashed = false
    /// The text before an integer, such as `user` in `user42`, if any.
    ///
    /// A prefix makes the value text.
    public var prefix: String?
    /// The share of values that are NULL, from 0 to 1.
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

    /// The sequential variable that provides the largest integer of this variable's range, if
    /// any.
    package var followedVariable: String? {
        if case .latest(_, let name) = distribution { name } else { nil }
    }

    /// Whether the values are based on integers in a range, even if they are text.
    public var isInteger: Bool {
        switch distribution {
        case .uniform, .zipfian, .latest, .hotspot, .exponential, .gaussian, .sequential: true
        case .text, .blob, .words, .template, .choice: false
        }
    }
}

/// The dataset variable that provides another variable's range.
///
/// The range depends on the dataset's scale.
enum RangeSource: Sendable, Equatable {
    case same(as: String)
    /// The integers that follow the variable's range.
    case after(String)

    func range(among builtIns: [String: Variable]) -> ClosedRange<Int64>? {
        switch self {
        case .same(let name):
            builtIns[name].map { $0.minimum...$0.maximum }
        case .after(let name):
            builtIns[name].map { min($0.maximum + 1, Variable.largest)...Variable.largest }
        }
    }
}
