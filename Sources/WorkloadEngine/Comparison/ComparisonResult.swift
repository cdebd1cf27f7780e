/// The result of a comparison of arms (`poolgauge.comparison/1`).
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
    /// The machine, the versions, and the scenario's text.
    public var environment: HostEnvironment
    /// The programs that ran in place of arms, the baseline first; absent if arms were compared.
    public var programs: [ComparedProgram]?
    /// The number of blocks that count: completed blocks whose runs are valid.
    public var blocks: Int
    /// The length of the measured part of each run, in seconds.
    public var blockDuration: Double
    /// Whether the comparison was stopped early; the interrupted block does not count.
    public var partial: Bool
    /// The order of the arms in each block; the first arm is in each block twice.
    public var order: [[String]]
    /// The clients omitted from every arm because an arm cannot run them, with the reasons; absent
    /// if there are none.
    public var leftOut: [String: String]?
    /// The deciding metrics, such as `ui.response.p99`.
    public var primary: [String]
    /// The declared metrics with too few samples, with the metrics that replace them; absent if
    /// there are none.
    public var replaced: [String: String]?
    /// The noise floor of each metric, a ratio of at least 1: how much two runs of one arm differ.
    public var noiseFloor: [String: Double]
    /// The comparison of the first arm's two runs, metric by metric.
    public var noise: [NoiseMeasurement]
    /// The comparison of each metric for each pair, ``primary`` metrics first.
    public var pairs: [ComparisonPair]
    /// The outcomes of the conditions that make a comparison fail; absent without conditions.
    public var failIf: [FailConditionResult]?
    /// The arms, with the baseline arm first.
    public var arms: [ArmComparison]
    /// The second run of the first arm.
    public var control: ArmComparison?
    /// The block whose runs are in ``ArmComparison/representative``, from 1; absent without any.
    public var representativeBlock: Int?
    /// The warnings about the numbers; absent if there are none.
    public var warnings: [String]?
    /// Runs that failed, as `block 3, pool: reason`; absent when there are none.
    public var failedRuns: [String]?
    /// Runs in which the generator was the bottleneck, as `block 3, pool: reason`, if they are too
    /// many for a result; the blocks of a few such runs do not count, see ``warnings``.
    public var invalidRuns: [String]?
    /// Violated invariants, as `block 3, pool, tpcb-sums: detail`; absent when there are none.
    public var violations: [String]?

    /// The exit status of the command.
    public var exitStatus: ExitStatus {
        if failedRuns != nil { return .failed }
        if partial { return .interrupted }
        if violations != nil { return .invariantViolated }
        if invalidRuns != nil { return .invalid }
        return failIf?.contains(where: \.failed) == true ? .regression : .passed
    }

    /// Returns the comparison of one metric for a pair of arms.
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
    /// The metrics' values block by block, by the same names; null if there were too few samples.
    public var values: [String: [Double?]]
    /// Each client's responses in all blocks together, by its name.
    public var spectra: [String: PercentileSpectrum]
    /// The run of ``ComparisonResult/representativeBlock``: its records over time, log, connections
    /// and causes of waits.
    public var representative: ArmResult?
}

/// The median and the spread of a metric over the blocks.
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
    /// The number of blocks with a value: a block with too few samples for a percentile has none.
    public var count: Int

    /// Computes the spread of values; nil for an empty array.
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
