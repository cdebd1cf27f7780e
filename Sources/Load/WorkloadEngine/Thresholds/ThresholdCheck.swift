import Foundation
import Scenarios
import Telemetry
import Text

extension ArmResult {
    package func check(_ threshold: Threshold) -> ThresholdResult {
        let client = threshold.metric.split(separator: ".").first.map(String.init) ?? ""
        let observed = observed(for: threshold)
        var result = ThresholdResult(
            metric: threshold.metric,
            expression: threshold.expression,
            observed: observed
        )
        // Do not report a threshold as missed if this arm cannot run the threshold's client.
        if unsupported?[client] != nil { return result }
        result.passed = threshold.isMet(by: observed) ?? verdictFromBounds(threshold)
        if result.passed == nil {
            result.undecided = true
            result.decidingSeconds = decidingSeconds(threshold)
        }
        return result
    }

    private func observed(for threshold: Threshold) -> Double? {
        let value = value(of: threshold.metric, threshold.aggregate)
        guard value == nil, threshold.aggregate == "count" else { return value }
        // A client without latencies has a latency count of 0.
        let parts = threshold.metric.split(separator: ".").map(String.init)
        let isLatency = parts.count == 2 && ClientMetrics.isLatency(parts[1])
        return isLatency && clients[parts[0]] != nil ? 0 : nil
    }

    /// Marks the threshold that ended the run as missed.
    ///
    /// The value may have changed after that decision because accesses were still running.
    mutating func markMissed(by abort: AbortResult) {
        for index in thresholds.indices
        where thresholds[index].metric == abort.metric
            && thresholds[index].expression == abort.expression
        {
            thresholds[index].observed = abort.observed
            thresholds[index].passed = false
            thresholds[index].undecided = nil
            thresholds[index].decidingSeconds = nil
        }
    }

    /// Checks a percentile with too few samples against the maximum or a lower percentile.
    ///
    /// A higher percentile is never smaller than a lower one.
    ///
    /// - Returns: Whether the threshold is met, or `nil` if these values do not decide the
    ///   threshold.
    private func verdictFromBounds(_ threshold: Threshold) -> Bool? {
        guard let percentile = threshold.percentile else { return nil }
        let isUpperLimit = threshold.comparison.hasPrefix("<")
        if sampleCount(of: threshold.metric) ?? 0 >= Self.countForMaximum(percentile),
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

    /// Returns the number of samples needed for the maximum to bound the percentile with 95%
    /// confidence.
    ///
    /// With fewer samples, the maximum may be below the percentile.
    private static func countForMaximum(_ percentile: Double) -> Double {
        percentile < 100 ? log(0.05) / log(percentile / 100) : .infinity
    }

    /// Returns the measured time that yields enough samples at this run's rate, in seconds.
    ///
    /// - Returns: The time, or `nil` if a longer run yields no more samples or the rate is
    ///   unknown.
    private func decidingSeconds(_ threshold: Threshold) -> Double? {
        let client = threshold.metric.split(separator: ".").first.map(String.init) ?? ""
        guard let needed = threshold.neededSamples, clients[client]?.loop != .scheduled,
            let count = sampleCount(of: threshold.metric), count > 0, duration > 0
        else { return nil }
        // Add 10% because arrivals are random.
        return (duration * Double(needed) / count * 1.1).rounded(toDigits: 6).rounded(.up)
    }
}

extension Threshold {
    package var percentile: Double? {
        guard aggregate.hasPrefix("p("), aggregate.hasSuffix(")") else { return nil }
        return Double(aggregate.dropFirst(2).dropLast())
    }

    package var neededSamples: UInt64? { percentile.flatMap(Percentile.neededCount) }
}

extension ArmResult {
    /// The maximum share of a client's accesses that may fail if no threshold limits the client's
    /// errors, from 0 to 1.
    public static let errorShareLimit = 0.05

    /// Returns the reasons a complete run failed, with one sentence for each failed client.
    ///
    /// A client fails if it has too many errors or no successful accesses. A threshold on a
    /// client's `errors` replaces the default limit on errors. A client without successful
    /// accesses passes only if a rate threshold allows 100%.
    func clientFailures(for thresholds: [Threshold], judgesUnfinished: Bool) -> [String] {
        let judged = Set(thresholds.map(\.metric))
        let unlimited = Set(
            thresholds.filter { $0.aggregate == "rate" && $0.limit >= 1 }.map(\.metric)
        )
        return clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard client.offered > 0 else { return nil }
            let isJudged = judged.contains("\(name).errors")
            let isUnfinished = client.unfinished == client.offered
            let mayFailAlways = unlimited.contains("\(name).errors") && client.errorCount > 0
            if client.completed == 0, !mayFailAlways, judgesUnfinished || !isUnfinished {
                return "none of the \(HumanUnits.exact(client.offered)) accesses of \(name) "
                    + "succeeded" + outcomes(of: client)
            }
            guard !isJudged else { return nil }
            let share = Double(client.errorCount) / Double(client.offered)
            guard share > Self.errorShareLimit else { return nil }
            let codes = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
            return "\(ReportUnits.percent(share)) of the accesses of \(name) failed "
                + "(\(codes.joined(separator: ", "))); to allow more than "
                + "\(ReportUnits.percent(Self.errorShareLimit)), add a threshold on \(name).errors"
        }
    }

    private func outcomes(of client: ClientResult) -> String {
        var parts = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
        let others = [
            (client.skipped, "skipped"), (client.interrupted, "interrupted"),
            (client.unfinished, "unfinished"),
        ]
        parts += others.filter { $0.0 > 0 }.map { "\(HumanUnits.exact($0.0)) \($0.1)" }
        return parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
    }
}

extension ThresholdResult {
    /// Returns a value of the threshold's metric as text.
    package func text(of value: Double) -> String {
        let aggregate = expression.prefix { !"<>=".contains($0) }.filter { !$0.isWhitespace }
        return MetricCatalog.unit(of: metric, aggregate)?.text(value)
            ?? ReportUnits.unitless(value)
    }
}
