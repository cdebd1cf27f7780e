import Scenarios

/// The thresholds that end a run as soon as a miss is certain.
struct AbortWatch: Sendable {
    private let thresholds: [Threshold]

    /// The minimum number of accesses for a share or a mean, equal to the minimum for a percentile.
    private static let minimumCount = 10.0

    /// Creates a watch for the thresholds with `abort: true`, or returns `nil` if there are none.
    init?(_ thresholds: [Threshold]) {
        self.thresholds = thresholds.filter { $0.abortDelay != nil }
        if self.thresholds.isEmpty { return nil }
    }

    /// The first part of each watched metric's name: a client or a group of database metrics.
    var clients: Set<String> {
        Set(thresholds.map { String($0.metric.prefix { $0 != "." }) })
    }

    func isDue(at seconds: Double) -> Bool { thresholds.contains { isDue($0, seconds: seconds) } }

    private func isDue(_ threshold: Threshold, seconds: Double) -> Bool {
        guard seconds > 0, let delay = threshold.abortDelay else { return false }
        return seconds >= delay.inSeconds - 1e-6
    }

    /// Returns the first threshold that the measurements miss, in the scenario's order.
    func firstMiss(in result: ArmResult) -> AbortResult? {
        thresholds.lazy.compactMap { threshold -> AbortResult? in
            guard isDue(threshold, seconds: result.duration) else { return nil }
            let found = result.check(threshold)
            guard found.passed == false, hasEnoughSamples(threshold, in: result) else { return nil }
            return AbortResult(
                seconds: result.duration,
                metric: threshold.metric,
                expression: threshold.expression,
                observed: found.observed,
                reason: reason(threshold, found: found, in: result)
            )
        }.first
    }

    /// Returns whether enough accesses contribute to the value.
    ///
    /// ``ArmResult/check(_:)`` already checks percentiles. A share needs ten accesses that violate
    /// the limit, because a single early error must not end the run.
    private func hasEnoughSamples(_ threshold: Threshold, in result: ArmResult) -> Bool {
        let parts = threshold.metric.split(separator: ".").map(String.init)
        guard parts.count == 2, let client = result.clients[parts[0]] else { return true }
        let count = result.sampleCount(of: threshold.metric) ?? 0
        switch threshold.aggregate {
        case "rate":
            let isUpperLimit = threshold.comparison.hasPrefix("<")
            return (isUpperLimit ? count : Double(client.offered) - count) >= Self.minimumCount
        case "mean" where ClientMetrics.isLatency(parts[1]):
            return count >= Self.minimumCount
        default:
            return true
        }
    }

    private func reason(
        _ threshold: Threshold,
        found: ThresholdResult,
        in result: ArmResult
    ) -> String {
        let limit = threshold.expression.drop { !"<>=".contains($0) }
            .drop { "<>= ".contains($0) }
        let what = "\(threshold.aggregate) of \(threshold.metric)"
        if let observed = found.observed {
            return "\(what) was \(found.text(of: observed)), limit \(limit)"
        }
        let lower = MetricCatalog.percentiles.reversed().lazy.map { "p(\($0))" }
            .first { result.value(of: threshold.metric, $0) != nil }
        let value = lower.flatMap { result.value(of: threshold.metric, $0) }
        guard let lower, let value else { return "\(what) missed its limit \(limit)" }
        return "\(what) exceeds its limit \(limit), because \(lower) was "
            + found.text(of: value)
    }
}
