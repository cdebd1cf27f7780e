import Scenarios
import Telemetry
import Text

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
    /// Whether one of the arms had none, or slow accesses that did not end, in so many blocks (29%)
    /// that ``ratio`` depends on what replaces them.
    ///
    /// Zero has no ratio, so a small positive value replaces it (half an access, for counts). The
    /// age of an access at the end of the run, or the limit after which it was skipped, replaces its
    /// unknown response time. In both cases, ``ratio`` is less extreme than the true one. The value
    /// is `nil` instead of `false`.
    public var isBound: Bool?

    /// The note on a pair whose difference depends on accesses that did not end.
    static let unfinishedNote = "accesses that were skipped or did not end hide the difference"

    /// Whether the true ratio may be further from 1 than ``high`` or ``low``.
    var isOpen: Bool { isBound == true || note == Self.unfinishedNote }

    /// The change for a sentence, such as `4.1× lower (3.6–4.7)`, or `nil` without a ratio.
    package var change: String? {
        guard let ratio, let low, let high else { return nil }
        return (isBound == true ? "at least " : "") + ReportUnits.change(ratio, low, high)
    }
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

/// A condition that makes a comparison fail, such as `ui.response.p99 > 1.1x`.
///
/// The condition limits the ratio of an arm's metric to the first arm's. A condition with a prefix,
/// such as `pool:`, applies to one arm.
public struct FailCondition: Sendable, Equatable {
    /// The text of the condition.
    public let expression: String
    /// The arm that the condition applies to, or `nil` for every arm.
    public let arm: String?
    /// The metric.
    public let metric: ComparisonMetric
    /// Whether the comparison fails if the ratio is above ``factor``, rather than below it.
    public let failsAbove: Bool
    /// The limit for the ratio.
    public let factor: Double

    /// The error for an invalid condition.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The problem and the expected form.
        public var description: String
    }

    /// Parses a condition for a comparison of arms, with the baseline arm first.
    ///
    /// - Throws: ``Failure`` if the condition is invalid. For an unknown name, the description
    ///   suggests a similar valid name, if any.
    public init(_ expression: String, in scenario: Scenario, arms: [String]) throws(Failure) {
        self.expression = expression
        func failure(_ problem: String) -> Failure {
            Failure(description: "'\(expression)': \(problem)")
        }
        func missingPartFailure(_ part: String) -> Failure {
            Failure(
                description: "'\(expression)' has no \(part); write, for example, "
                    + "ui.response.p99 > 1.1x"
            )
        }
        guard let sign = expression.firstIndex(where: { "<>".contains($0) }) else {
            throw missingPartFailure("comparison")
        }
        failsAbove = expression[sign] == ">"
        var left = expression[..<sign].split(separator: ":", maxSplits: 1).map { $0.trimmed }
        let right = expression[expression.index(after: sign)...].trimmed
        guard let name = left.popLast(), !name.isEmpty else {
            throw missingPartFailure("metric")
        }
        arm = left.first
        if let arm, !arms.dropFirst().contains(arm) {
            throw failure(
                arm == arms.first
                    ? "'\(arm)' is the baseline; choose another arm"
                    : "the comparison has no arm '\(arm)'"
                        + NearestName.hint(arm, among: Array(arms.dropFirst()))
            )
        }
        do {
            metric = try ComparisonMetric(
                name,
                in: MetricCatalog(clients: scenario.clients.map(\.name))
            )
        } catch {
            throw failure(error.description)
        }
        let number = right.hasSuffix("x") || right.hasSuffix("×") ? right.dropLast() : right[...]
        guard let factor = Double(number.trimmed), factor > 0, factor.isFinite else {
            throw failure("'\(right)' is not a ratio; write, for example, 1.1x")
        }
        self.factor = factor
    }

    /// Returns the outcome for a pair, or `nil` if the condition does not apply to the pair.
    ///
    /// A condition against a regression, such as `> 1.1x`, makes the comparison fail only if the
    /// estimate is beyond the limit and the difference exceeds both chance and noise. A condition
    /// that requires an improvement, such as `> 0.9x`, makes the comparison fail if the estimate is
    /// beyond the limit.
    func outcome(of pair: ComparisonPair, against first: String?) -> FailConditionResult? {
        guard pair.metric == metric.name, pair.a == first, arm == nil || arm == pair.b else {
            return nil
        }
        var result = FailConditionResult(
            expression: expression,
            a: pair.a,
            b: pair.b,
            ratio: pair.ratio,
            failed: true,
            reason: ""
        )
        guard let ratio = pair.ratio, let low = pair.low, let high = pair.high else {
            result.reason = "\(metric) of \(pair.b) was not measured: \(pair.note ?? "no samples")"
            return result
        }
        let bound = pair.isBound == true ? ratio < 1 ? "at most " : "at least " : ""
        let found =
            "\(metric) of \(pair.b) is \(bound)\(ReportUnits.factor(ratio)) that of \(pair.a) "
            + "(\(ReportUnits.range(low, high)))"
        let isBeyond = failsAbove ? ratio > factor : ratio < factor
        let isAgainstRegression = failsAbove ? factor >= 1 : factor <= 1
        guard isBeyond else {
            result.failed = false
            result.reason = found
            return result
        }
        result.failed = !isAgainstRegression || pair.verdict.isDifference
        result.reason = result.failed ? found : "\(found), which \(pair.doubt)"
        return result
    }
}

/// A condition's outcome for one arm.
public struct FailConditionResult: Sendable, Codable, Equatable {
    /// The text of the condition.
    public var expression: String
    /// The baseline arm.
    public var a: String
    /// The arm that is compared with the baseline.
    public var b: String
    /// The ratio, or `nil` if there are too few samples, which makes the comparison
    /// fail.
    public var ratio: Double?
    /// Whether the comparison fails because of the condition.
    public var failed: Bool
    /// The measured ratio, or the reason for its absence.
    public var reason: String
}

extension ComparisonPair {
    /// The reason for ignoring an estimate beyond the limit.
    fileprivate var doubt: String {
        verdict == .same ? "is within the noise floor" : note ?? "may be due to chance"
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ComparisonMetric {
    /// The number of accesses that a block needs for this percentile, or 1 for other aggregates.
    var neededAccesses: Int { Int(percentile.flatMap(Percentile.neededCount) ?? 1) }

    var isResponse: Bool { metric == "\(owner).response" }

    /// Returns the positive value that replaces smaller values, because zero has no logarithm.
    ///
    /// For counts, the value is one half, the usual continuity correction.
    func smallest(seconds: Double) -> Double {
        switch unit {
        case .time, .bytes: 1
        case .count: 0.5
        case .rate: 0.5 / max(seconds, 1e-3)
        case .share, .ratio: 0.0005
        }
    }
}
