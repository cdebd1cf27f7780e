import Foundation
import Telemetry

extension ArmResult {
    /// Checks a threshold against what this run measured.
    func check(_ threshold: Threshold) -> ThresholdResult {
        let client = threshold.metric.split(separator: ".").first.map(String.init) ?? ""
        let observed = observed(for: threshold)
        var result = ThresholdResult(
            metric: threshold.metric,
            expression: threshold.expression,
            observed: observed
        )
        // What this arm cannot run is reported as unsupported, not as missed.
        if unsupported?[client] != nil { return result }
        result.passed = threshold.isMet(by: observed) ?? decidedByNeighbours(threshold)
        if result.passed == nil {
            result.undecided = true
            result.decidingSeconds = decidingSeconds(threshold)
        }
        return result
    }

    /// The value that a threshold limits; nil when it was not measured.
    private func observed(for threshold: Threshold) -> Double? {
        let value = value(of: threshold.metric, threshold.aggregate)
        guard value == nil, threshold.aggregate == "count" else { return value }
        // A client without any latency has measured none: that is a count.
        let parts = threshold.metric.split(separator: ".").map(String.init)
        let isLatency = parts.count == 2 && Self.latencies.contains(parts[1])
        return isLatency && clients[parts[0]] != nil ? 0 : nil
    }

    private static let latencies = ["response", "wait", "service", "lag"]

    /// Whether the maximum, or another percentile, decides about a percentile that has too few
    /// samples of its own: percentiles never fall as they rise to the maximum.
    private func decidedByNeighbours(_ threshold: Threshold) -> Bool? {
        guard let percentile = threshold.percentile else { return nil }
        let isUpperLimit = threshold.comparison.hasPrefix("<")
        if value(of: threshold.metric, "count") ?? 0 >= Self.countForMaximum(percentile),
            threshold.isMet(by: value(of: threshold.metric, "max")) == isUpperLimit
        {
            return isUpperLimit
        }
        for name in MetricCatalog.percentiles {
            guard let lower = Double(name), lower < percentile,
                let value = value(of: threshold.metric, "p(\(name))"),
                threshold.isMet(by: value) == !isUpperLimit
            else { continue }
            return !isUpperLimit
        }
        return nil
    }

    /// How many samples make it 95 % certain that one of them is at or beyond a percentile: only
    /// then does their maximum bound it.
    private static func countForMaximum(_ percentile: Double) -> Double {
        percentile < 100 ? log(0.05) / log(percentile / 100) : .infinity
    }

    /// The measured time, in seconds, after which this run's rate gives enough samples; nil where
    /// more time gives no more samples, or their rate is not known.
    private func decidingSeconds(_ threshold: Threshold) -> Double? {
        let client = threshold.metric.split(separator: ".").first.map(String.init) ?? ""
        guard let needed = threshold.neededSamples, clients[client]?.loop != .scheduled,
            let count = value(of: threshold.metric, "count"), count > 0, duration > 0
        else { return nil }
        // A tenth more: arrivals are random.
        return (duration * Double(needed) / count * 1.1).rounded(toDigits: 6).rounded(.up)
    }
}

extension Threshold {
    /// The percentile that it limits, in 0…100; nil for any other aggregate.
    var percentile: Double? {
        guard aggregate.hasPrefix("p("), aggregate.hasSuffix(")") else { return nil }
        return Double(aggregate.dropFirst(2).dropLast())
    }

    /// How many samples its percentile takes, ten of them beyond it; nil for any other aggregate.
    var neededSamples: UInt64? {
        guard let percentile, percentile < 100 else { return nil }
        return UInt64((1_000 / (100 - percentile)).rounded(toDigits: 6).rounded(.up))
    }
}
