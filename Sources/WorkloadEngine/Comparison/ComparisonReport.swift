import Foundation
import Text

/// A type that formats a comparison as text, with the answer first and the tables after it.
public enum ComparisonReport {
    /// Returns the report as text.
    public static func text(of result: ComparisonResult) -> String {
        if let sweep = result.sweep { return SweepReport.text(of: result, sweep) }
        var lines = problems(of: result)
        lines += result.answer
        lines += omissionLines(of: result)
        lines += (result.warnings ?? []).map { "warning: \($0)" }
        let conditions = (result.failIf ?? []).filter { !$0.failed }.map(passedLine)
        for part in [conditions, primaryMetricLines(result), allMetrics(result), method(result)]
        where !part.isEmpty {
            lines += [""] + part
        }
        return ReportLines.text(lines)
    }

    // MARK: Problems and title

    static func problems(of result: ComparisonResult) -> [String] {
        var lines: [String] = []
        if result.partial {
            lines.append(
                "PARTIAL  stopped after \(result.blocks) \(result.blocks == 1 ? "block" : "blocks")"
                    + (result.blocks == 0 ? ": no results to compare" : "")
            )
        }
        lines += (result.failedRuns ?? []).map { "FAILED  \($0)" }
        lines += (result.violations ?? []).map { "INVARIANT VIOLATED  \($0)" }
        lines += (result.invalidRuns ?? []).map { "INVALID  \($0)" }
        lines += (result.failIf ?? []).filter(\.failed).map {
            "REGRESSION  \($0.expression): \($0.reason)"
        }
        return lines
    }

    static func omissionLines(of result: ComparisonResult) -> [String] {
        (result.leftOut ?? [:]).sorted { $0.key < $1.key }.map { client, reason in
            "omitted from every arm: \(client), because \(reason)"
        }
    }

    static func passedLine(_ condition: FailConditionResult) -> String {
        "passed  (fails if \(condition.expression)): \(condition.reason)"
    }

    /// Describes the runs, as in `sync: queue, pool, queue again; 10 blocks of 3.00 s each`.
    static func title(of result: ComparisonResult) -> String {
        var names = result.arms.map(\.arm)
        if let repeatedArm = result.control?.arm { names.append("\(repeatedArm) again") }
        let blocks = "\(result.blocks) \(result.blocks == 1 ? "block" : "blocks")"
        return "\(result.scenario): \(names.joined(separator: ", ")); \(blocks) of "
            + "\(ReportUnits.seconds(result.blockDuration))\(result.blocks == 1 ? "" : " each"), "
            + "with the arms in random order"
    }

    // MARK: Tables

    private static func primaryMetricLines(_ result: ComparisonResult) -> [String] {
        var table = TextTable(columns)
        for pair in pairNames(result) {
            table.add(["\(pair.b) against \(pair.a)"])
            for found in decidedPairs(result, pair) {
                table.add(row(found, result, indent: "  "))
            }
        }
        return [title(of: result), ""] + table.lines() + notes(result).map { "  \($0)" }
    }

    static func decidedPairs(
        _ result: ComparisonResult,
        _ pair: ComparisonPlan.Pair
    ) -> [ComparisonPair] {
        result.pairs.filter { $0.primary && $0.a == pair.a && $0.b == pair.b }
    }

    static func notes(_ result: ComparisonResult) -> [String] {
        var reasons: [String] = []
        var found: [String: [String]] = [:]
        for pair in result.pairs where pair.primary {
            guard let note = pair.note else { continue }
            if found[note] == nil { reasons.append(note) }
            found[note, default: []].append("\(pair.metric) of \(pair.b) against \(pair.a)")
        }
        return reasons.map { "\($0): " + (found[$0] ?? []).joined(separator: "; ") }
            + result.pairs.filter(\.primary).compactMap { spreadNote($0, result) }
    }

    /// The factor by which a change and that of the medians differ if the table does not explain it.
    private static let unexplainedFactor = 2.0

    /// Explains why the change of paired runs is not that of the medians.
    ///
    /// Medians of all runs may come from different conditions, such as a run with a rare stall.
    private static func spreadNote(_ pair: ComparisonPair, _ result: ComparisonResult) -> String? {
        func spread(_ arm: String) -> Spread? {
            result.arms.first { $0.arm == arm }?.metrics[pair.metric]
        }
        guard let a = spread(pair.a), let b = spread(pair.b), a.median > 0, b.median > 0,
            let change = pair.ratio, change > 0
        else { return nil }
        let ofMedians = b.median / a.median
        guard abs(log(ofMedians / change)) > log(unexplainedFactor) else { return nil }
        func factor(_ ratio: Double) -> String {
            guard abs(log(ratio)) > 0.05 else { return "the same" }
            return ReportUnits.factor(ratio < 1 ? 1 / ratio : ratio)
                + (ratio < 1 ? " lower" : " higher")
        }
        let widest =
            [(pair.a, a), (pair.b, b)]
            .max { $0.1.relativeRange < $1.1.relativeRange } ?? (pair.a, a)
        guard widest.1.relativeRange > unexplainedFactor else { return nil }
        func value(_ value: Double) -> String { text(value, of: pair.metric, in: result) }
        return
            "\(pair.metric) of \(pair.b) against \(pair.a): \(factor(change)) in runs of the same "
            + "block, but the medians of all runs are \(factor(ofMedians)), because the runs of "
            + "\(widest.0) differ (\(value(widest.1.minimum)) to \(value(widest.1.maximum)))"
    }

    static let columns = ["metric", "from", "to", "change", "95%", "p", "noise", "verdict"]

    static func row(
        _ pair: ComparisonPair,
        _ result: ComparisonResult,
        indent: String = ""
    ) -> [String] {
        var cells = [
            indent + pair.metric, median(of: pair.a, pair.metric, result),
            median(of: pair.b, pair.metric, result),
        ]
        if let ratio = pair.ratio, let low = pair.low, let high = pair.high {
            cells +=
                ratio < 1
                ? ["\(ReportUnits.factor(1 / ratio)) lower", ReportUnits.range(1 / high, 1 / low)]
                : ["\(ReportUnits.factor(ratio)) higher", ReportUnits.range(low, high)]
        } else {
            cells += ["–", "–"]
        }
        cells.append(pair.p.map(probability) ?? "–")
        cells.append(result.noiseFloor[pair.metric].map { "±\(ReportUnits.factor($0))" } ?? "–")
        cells.append(pair.verdict.rawValue)
        return cells
    }

    /// Returns a metric's median on an arm as text.
    static func median(of arm: String, _ metric: String, _ result: ComparisonResult) -> String {
        let spread = result.arms.first { $0.arm == arm }?.metrics[metric]
        return spread.map { text($0.median, of: metric, in: result) } ?? "–"
    }

    static func probability(_ p: Double) -> String {
        p < 0.001 ? "<0.001" : String(String(p.rounded(toDigits: 3)).prefix(5))
    }

    static func pairNames(_ result: ComparisonResult) -> [ComparisonPlan.Pair] {
        var names: [ComparisonPlan.Pair] = []
        for pair in result.pairs {
            let name = ComparisonPlan.Pair(a: pair.a, b: pair.b)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private static func allMetrics(_ result: ComparisonResult) -> [String] {
        let (metrics, missing) = metricNames(result)
        guard !metrics.isEmpty else { return [] }
        var table = TextTable(["medians [interquartile range]"] + result.arms.map(\.arm))
        for metric in metrics {
            table.add([metric] + result.arms.map { cell($0.metrics[metric], metric, result) })
        }
        return table.lines() + (missing.map { ["too few samples on every arm: \($0)"] } ?? [])
    }

    /// Returns the metrics with a value on any arm, and a list of the other metrics, if any.
    ///
    /// The list omits tail percentiles.
    static func metricNames(_ result: ComparisonResult) -> (found: [String], missing: String?) {
        let names = Set(result.arms.flatMap(\.metrics.keys))
        let clients = Set(
            names.filter { name in
                ComparisonPlan.reportedMetrics.contains { name.hasSuffix(".\($0)") }
            }
            .compactMap { $0.split(separator: ".").first.map(String.init) }
        )
        let reported = clients.sorted().flatMap { client in
            (ComparisonPlan.reportedMetrics + ComparisonPlan.tailMetrics).map { "\(client).\($0)" }
        }
        let missing = reported.filter { metric in
            !names.contains(metric)
                && !ComparisonPlan.tailMetrics.contains { metric.hasSuffix(".\($0)") }
        }
        return (
            reported.filter(names.contains) + names.subtracting(reported).sorted(),
            missing.isEmpty ? nil : missing.joined(separator: ", ")
        )
    }

    static func cell(_ spread: Spread?, _ metric: String, _ result: ComparisonResult) -> String {
        guard let spread else { return "–" }
        func text(_ value: Double) -> String { self.text(value, of: metric, in: result) }
        return "\(text(spread.median)) [\(text(spread.lowerQuartile)) … "
            + "\(text(spread.upperQuartile))]"
    }

    private static func text(
        _ value: Double,
        of metric: String,
        in result: ComparisonResult
    ) -> String {
        // The name starts with the client's name, so the catalog does not need other clients.
        let owner = metric.split(separator: ".").first.map(String.init) ?? ""
        let known = try? ComparisonMetric(metric, in: MetricCatalog(clients: [owner]))
        return known?.text(value) ?? String(value)
    }

    // MARK: Method

    static func method(_ result: ComparisonResult) -> [String] {
        let tests = result.pairs.count(where: \.primary)
        var lines: [String] = []
        if let repeatedArm = result.control?.arm {
            lines = [
                "change: Hodges–Lehmann estimate of the ratio within a block, with its interval",
                "p: exact Wilcoxon signed-rank test, with Holm's correction over \(tests) "
                    + (tests == 1 ? "test" : "tests"),
                "noise: how far two runs of \(repeatedArm) in a block differ; a smaller change is "
                    + "inconclusive, regardless of its p-value",
            ]
        }
        var settings = result.arms.map { ($0.arm, $0.representative?.journalSettings) }
        if result.sweep != nil {
            // Name only the first arm with the same settings.
            var seen: Set<String?> = []
            settings = settings.filter { seen.insert($0.1).inserted }
        }
        lines += ArmSettings.lines(settings)
        return lines + TextReport.environment(result.environment, seed: result.seed)
    }
}

extension Spread {
    /// The largest value in relation to the smallest.
    fileprivate var relativeRange: Double { maximum / Swift.max(minimum, 1e-12) }
}
