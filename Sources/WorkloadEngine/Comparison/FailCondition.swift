/// A condition that makes a comparison fail, such as `ui.response.p99 > 1.1x`.
///
/// It is about the ratio of a metric: an arm against the first one. With `pool:` before it, it is
/// about that arm alone.
public struct FailCondition: Sendable, Equatable {
    /// The condition as it was written.
    public let expression: String
    /// The arm that it is about; nil for each of them.
    public let arm: String?
    /// The metric.
    public let metric: ComparisonMetric
    /// Whether a ratio above ``factor`` fails; else one below it.
    public let failsAbove: Bool
    /// The ratio that is the limit.
    public let factor: Double

    /// A condition that is not understood.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The condition, what is wrong with it, and what was expected.
        public var description: String
    }

    /// Reads a condition for a scenario whose `arms` are compared, by name, the first one being
    /// what the others are compared with.
    ///
    /// - Throws: ``Failure``, with the nearest valid name.
    public init(_ expression: String, in scenario: Scenario, arms: [String]) throws(Failure) {
        self.expression = expression
        func failure(_ problem: String) -> Failure {
            Failure(description: "'\(expression)': \(problem)")
        }
        guard let sign = expression.firstIndex(where: { "<>".contains($0) }) else {
            throw failure("compares nothing; write ui.response.p99 > 1.1x")
        }
        failsAbove = expression[sign] == ">"
        var left = expression[..<sign].split(separator: ":", maxSplits: 1).map { $0.trimmed }
        let right = expression[expression.index(after: sign)...].trimmed
        guard let name = left.popLast(), !name.isEmpty else {
            throw failure("has no metric; write ui.response.p99 > 1.1x")
        }
        arm = left.first
        if let arm, !arms.dropFirst().contains(arm) {
            throw failure(
                arm == arms.first
                    ? "'\(arm)' is what the other arms are compared with"
                    : "no arm '\(arm)' is compared"
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
            throw failure("'\(right)' is not a ratio; write 1.1x")
        }
        self.factor = factor
    }

    /// Whether a pair fails, and why; nil for a pair that the condition is not about.
    ///
    /// A condition against a regression, such as `> 1.1x`, needs more than an estimate beyond the
    /// limit: the difference must be one, beyond chance and noise. One that demands an
    /// improvement, such as `> 0.9x`, fails unless it was seen.
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
        let found =
            "\(metric) of \(pair.b) is \(RatioText.factor(ratio)) that of \(pair.a) "
            + "(\(RatioText.range(low, high)))"
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

/// What came of a condition for one arm.
public struct FailConditionResult: Sendable, Codable, Equatable {
    /// The condition as it was written.
    public var expression: String
    /// The arm that is compared with.
    public var a: String
    /// The arm that is judged.
    public var b: String
    /// The ratio; absent when there were too few samples, which fails.
    public var ratio: Double?
    /// Whether the comparison fails because of it.
    public var failed: Bool
    /// What was found.
    public var reason: String
}

extension ComparisonPair {
    /// Why an estimate beyond a limit does not count.
    fileprivate var doubt: String {
        verdict == .same ? "is within the noise floor" : note.map { "\($0)" } ?? "may be chance"
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
