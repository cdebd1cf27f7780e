/// The comparison of one metric between two arms: `b` relative to `a`.
public struct ComparisonPair: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response.p99`.
    public var metric: String
    /// The baseline arm.
    public var a: String
    /// The arm that the verdict is about.
    public var b: String
    /// The Hodges–Lehmann estimate of `b`'s value divided by `a`'s, over the blocks.
    ///
    /// The value is `nil` if no block has values for both arms.
    public var ratio: Double?
    /// The lower end of the ratio's interval, with the confidence level ``level``.
    public var low: Double?
    /// The upper end of the ratio's interval, with the confidence level ``level``.
    public var high: Double?
    /// The p-value that determines the verdict, corrected for multiple tests if the metric is
    /// ``primary``.
    public var p: Double?
    /// The verdict.
    public var verdict: ComparisonVerdict
    /// The p-value before Holm's correction.
    public var uncorrected: Double?
    /// The interval's confidence level, from 0 to 1, such as 0.951 with ten blocks.
    public var level: Double?
    /// The number of blocks with values for both arms.
    public var blocks: Int
    /// Whether the metric is a primary metric.
    ///
    /// The p-values of other metrics are not corrected for multiple tests.
    public var primary: Bool
    /// Whether smaller values are better.
    public var lowerIsBetter: Bool
    /// An explanation of the verdict, if any.
    public var note: String?
}

/// A comparison's verdict on a pair of arms.
public enum ComparisonVerdict: String, Sendable, Codable, Equatable {
    /// `b` is better, beyond chance and beyond the noise floor.
    case better
    /// `b` is worse, beyond chance and beyond the noise floor.
    case worse
    /// The whole interval lies within the noise floor.
    case same
    /// The blocks do not provide enough evidence.
    case inconclusive

    /// Whether the arms differ.
    public var isDifference: Bool { self == .better || self == .worse }
}

/// The difference between one arm's two runs in each block, which measures the machine's noise.
public struct NoiseMeasurement: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response.p99`.
    public var metric: String
    /// The second run's value divided by the first run's, which is 1 without noise.
    public var ratio: Double
    /// The lower end of the ratio's interval.
    public var low: Double
    /// The upper end of the ratio's interval.
    public var high: Double
    /// The p-value of the signed-rank test.
    public var p: Double
    /// The number of blocks with values for both runs.
    public var blocks: Int

    /// The noise floor, which is the end of the interval that is farther from 1, as a ratio of at
    /// least 1.
    public var floor: Double { max(high, 1 / low) }
}
