/// What a comparison of arms gave (`poolgauge.comparison/1`).
///
/// Latencies are in nanoseconds, throughputs in accesses/s; ratios are plain numbers.
public struct ComparisonResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.comparison/1"

    /// `poolgauge.comparison/1`.
    public var schema: String
    /// The answer in a few sentences, one for each arm that was judged.
    public var answer: [String]
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// Where it ran, and the scenario's own text.
    public var environment: HostEnvironment
    /// How many blocks count: they were completed, and their runs are valid.
    public var blocks: Int
    /// How long the measured part of each run lasted, in seconds.
    public var blockDuration: Double
    /// Whether it was stopped before its end; the block that ran then does not count.
    public var partial: Bool
    /// The order in which the arms ran, block by block: the first arm is in each of them twice.
    public var order: [[String]]
    /// The clients that were left out of every arm, because an arm cannot run them, with the
    /// reason; absent when there are none.
    public var leftOut: [String: String]?
    /// What is decided on, such as `ui.response.p99`.
    public var primary: [String]
    /// What was declared and had too few samples, with what is decided on in its place; absent
    /// when there is nothing.
    public var replaced: [String: String]?
    /// The noise floor of each metric, a ratio from 1 on: two runs of one arm differ as much.
    public var noiseFloor: [String: Double]
    /// What the arm that ran twice in each block showed, metric by metric.
    public var noise: [NoiseMeasurement]
    /// What is said of each metric of each pair, ``primary`` ones first.
    public var pairs: [ComparisonPair]
    /// What came of the conditions that make a comparison fail; absent without any.
    public var failIf: [FailConditionResult]?
    /// The arms, the one that the others are judged against first.
    public var arms: [ArmComparison]
    /// The second run of the first arm.
    public var control: ArmComparison?
    /// The block whose runs are in ``ArmComparison/representative``, from 1; absent without any.
    public var representativeBlock: Int?
    /// What a reader must know before believing the numbers; absent when there is nothing.
    public var warnings: [String]?
    /// Runs that failed, as `block 3, pool: reason`; absent when there are none.
    public var failedRuns: [String]?
    /// Runs in which the generator was the bottleneck, as `block 3, pool: reason`, when there are
    /// so many of them that nothing is proved; the blocks of a few do not count, see ``warnings``.
    public var invalidRuns: [String]?
    /// Violated invariants, as `block 3, pool, tpcb-sums: detail`; absent when there are none.
    public var violations: [String]?

    /// Its exit status.
    public var exitStatus: ExitStatus {
        if failedRuns != nil { return .failed }
        if partial { return .interrupted }
        if violations != nil { return .invariantViolated }
        if invalidRuns != nil { return .invalid }
        return failIf?.contains(where: \.failed) == true ? .regression : .passed
    }

    /// What is said of one metric of a pair of arms.
    public func pair(_ metric: String, of b: String, against a: String) -> ComparisonPair? {
        pairs.first { $0.metric == metric && $0.a == a && $0.b == b }
    }
}

/// One arm in a comparison.
public struct ArmComparison: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// The metrics over the blocks, by name: `ui.throughput`, `ui.response.p99` and so on.
    public var metrics: [String: Spread]
    /// The metrics' values block by block, by the same names; null where there were too few
    /// samples.
    public var values: [String: [Double?]]
    /// Each client's responses in all blocks together, by its name.
    public var spectra: [String: PercentileSpectrum]
    /// One whole run, that of ``ComparisonResult/representativeBlock``: its records over time, its
    /// log, its connections, who kept whom waiting.
    public var representative: ArmResult?
}

/// A metric over the blocks: its median, and how far the blocks lie apart.
public struct Spread: Sendable, Codable, Equatable {
    /// The median.
    public var median: Double
    /// The smallest value.
    public var minimum: Double
    /// The largest value.
    public var maximum: Double
    /// The first quartile.
    public var lowerQuartile: Double
    /// The third quartile.
    public var upperQuartile: Double
    /// How many blocks gave a value: those with too few samples for a percentile give none.
    public var count: Int

    /// The spread of some values; nil of none.
    ///
    /// Quantiles lie between the two nearest values, in proportion (type 7 of Hyndman and Fan,
    /// "Sample Quantiles in Statistical Packages", 1996).
    public init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        func quantile(_ share: Double) -> Double {
            let position = share * Double(sorted.count - 1)
            let below = Int(position)
            let above = min(below + 1, sorted.count - 1)
            let weight = position - Double(below)
            return (sorted[below] + weight * (sorted[above] - sorted[below])).rounded(toDigits: 2)
        }
        median = quantile(0.5)
        lowerQuartile = quantile(0.25)
        upperQuartile = quantile(0.75)
        minimum = first
        maximum = last
        count = sorted.count
    }
}
