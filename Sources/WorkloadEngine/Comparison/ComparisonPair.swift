/// What a comparison says of one metric of one pair of arms: `b` against `a`.
public struct ComparisonPair: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response.p99`.
    public var metric: String
    /// The arm that is compared with.
    public var a: String
    /// The arm that is judged.
    public var b: String
    /// `b`'s value over `a`'s: the Hodges–Lehmann estimate over the blocks.
    ///
    /// Absent when no block gave both arms a value.
    public var ratio: Double?
    /// The lower end of the ratio's 95 % interval; see ``level``.
    public var low: Double?
    /// The upper end of the ratio's 95 % interval; see ``level``.
    public var high: Double?
    /// The p-value that the verdict uses: of a ``primary`` metric corrected for all of them.
    public var p: Double?
    /// What comes of it.
    public var verdict: ComparisonVerdict
    /// The p-value of this test alone, before Holm's correction.
    public var uncorrected: Double?
    /// How often such an interval covers the true ratio, 0…1: 0.951 with ten blocks.
    public var level: Double?
    /// How many blocks gave both arms a value.
    public var blocks: Int
    /// Whether the comparison decides on it; the others are told without correction.
    public var primary: Bool
    /// Whether a smaller value is the better one.
    public var lowerIsBetter: Bool
    /// Why there is no verdict, or what the verdict rests on; absent when there is nothing to say.
    public var note: String?
}

/// What a comparison decides about a pair of arms.
public enum ComparisonVerdict: String, Sendable, Codable, Equatable {
    /// `b` is better, beyond chance and beyond the noise floor.
    case better
    /// `b` is worse, beyond chance and beyond the noise floor.
    case worse
    /// The whole interval lies within the noise floor.
    case same
    /// The blocks do not tell.
    case inconclusive

    /// Whether there is a difference.
    public var isDifference: Bool { self == .better || self == .worse }
}

/// What an arm that ran twice in each block showed: the noise of this machine, today.
public struct NoiseMeasurement: Sendable, Codable, Equatable {
    /// The metric, such as `ui.response.p99`.
    public var metric: String
    /// The second run's value over the first one's: 1 but for noise.
    public var ratio: Double
    /// The lower end of the ratio's interval.
    public var low: Double
    /// The upper end of the ratio's interval.
    public var high: Double
    /// The p-value of the signed-rank test, not corrected.
    public var p: Double
    /// How many blocks gave both runs a value.
    public var blocks: Int

    /// The noise floor, a ratio from 1 on: the interval's end that lies farther from 1.
    public var floor: Double { max(high, 1 / low) }
}
