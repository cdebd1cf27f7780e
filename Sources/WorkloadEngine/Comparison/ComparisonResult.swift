/// What a comparison of arms gave (`poolgauge.compare/1`): medians over blocks with their spread.
///
/// Latencies are in nanoseconds, throughputs in accesses/s. It gives no verdict: whether a
/// difference is more than noise is not computed here.
public struct ComparisonResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.compare/1"

    /// `poolgauge.compare/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// Where it ran.
    public var environment: HostEnvironment
    /// How many blocks were completed.
    public var blocks: Int
    /// How long the measured part of each run lasted, in seconds.
    public var blockDuration: Double
    /// Whether it was stopped before its end; the block that ran then does not count.
    public var partial: Bool
    /// The order in which the arms ran, block by block.
    public var order: [[String]]
    /// The clients that were left out of every arm, because an arm cannot run them, with the
    /// reason; absent when there are none.
    public var leftOut: [String: String]?
    /// The arms, in the scenario's order.
    public var arms: [ArmComparison]
    /// Runs in which the generator was the bottleneck, as `block 3, pool: reason`; absent when
    /// there are none.
    public var invalidRuns: [String]?
    /// Violated invariants, as `block 3, pool, tpcb-sums: detail`; absent when there are none.
    public var violations: [String]?

    /// Its exit status.
    public var exitStatus: ExitStatus {
        if partial { return .interrupted }
        if violations != nil { return .invariantViolated }
        return invalidRuns == nil ? .passed : .invalid
    }
}

/// One arm in a comparison.
public struct ArmComparison: Sendable, Codable, Equatable {
    /// The arm's name.
    public var arm: String
    /// The metrics of its clients, by name: `ui.throughput`, `ui.response.p99` and so on.
    public var metrics: [String: Spread]
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
