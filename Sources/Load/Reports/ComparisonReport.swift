import Comparison
import Foundation
import Scenarios
import Text

// Foundation declares the name, too.
import struct Comparison.ComparisonResult

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
        lines += ComparisonResult.grouped(result.failedRuns ?? []).map { "FAILED  \($0)" }
        lines += ComparisonResult.grouped(result.violations ?? []).map {
            "INVARIANT VIOLATED  \($0)"
        }
        lines += ComparisonResult.grouped(result.invalidRuns ?? []).map { "INVALID  \($0)" }
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
            for found in decidedPairs(result, pair: pair) {
                table.add(row(found, result: result, indent: "  "))
            }
        }
        return [title(of: result), ""] + table.lines() + notes(result).map { "  \($0)" }
    }

    static func decidedPairs(
        _ result: ComparisonResult,
        pair: ComparisonPlan.Pair
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
            + result.pairs.filter(\.primary).compactMap { spreadNote($0, result: result) }
    }

    /// The factor by which a change and that of the medians differ if the table does not explain it.
    private static let unexplainedFactor = 2.0

    /// Explains why the change of paired runs is not that of the medians.
    ///
    /// Medians of all runs may come from different conditions, such as a run with a rare stall.
    private static func spreadNote(_ pair: ComparisonPair, result: ComparisonResult) -> String? {
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
        result: ComparisonResult,
        indent: String = ""
    ) -> [String] {
        var cells = [
            indent + pair.metric, median(of: pair.a, pair.metric, result: result),
            median(of: pair.b, pair.metric, result: result),
        ]
        if let ratio = pair.ratio, let low = pair.low, let high = pair.high {
            let least = pair.isBound == true ? "≥" : ""
            cells +=
                ratio < 1
                ? [
                    least + "\(ReportUnits.factor(1 / ratio)) lower",
                    ReportUnits.range(1 / high, 1 / low),
                ]
                : [
                    least + "\(ReportUnits.factor(ratio)) higher", ReportUnits.range(low, high),
                ]
        } else {
            cells += ["–", "–"]
        }
        cells.append(pair.p.map(probability) ?? "–")
        cells.append(result.noiseFloor[pair.metric].map { "±\(ReportUnits.factor($0))" } ?? "–")
        cells.append(pair.verdict.rawValue)
        return cells
    }

    /// Returns a metric's median on an arm as text.
    static func median(of arm: String, _ metric: String, result: ComparisonResult) -> String {
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
            table.add(
                [metric]
                    + result.arms.map { cell($0.metrics[metric], metric: metric, result: result) }
            )
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

    static func cell(_ spread: Spread?, metric: String, result: ComparisonResult) -> String {
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
        return known?.unit.text(value) ?? String(value)
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

extension ComparisonReport {
    /// Returns the report as Markdown for a pull request.
    public static func markdown(of result: ComparisonResult) -> String {
        if let sweep = result.sweep { return SweepReport.markdown(of: result, sweep) }
        var parts = ["## \(escaped(result.scenario))"]
        let problems = problems(of: result)
        if !problems.isEmpty { parts.append(list(problems)) }
        parts += result.answer.map { "**\(escaped($0))**" }
        let remarks =
            omissionLines(of: result) + (result.warnings ?? []).map { "warning: \($0)" }
            + (result.failIf ?? []).filter { !$0.failed }.map(passedLine)
        if !remarks.isEmpty { parts.append(list(remarks)) }
        parts.append(escaped(title(of: result)))
        for pair in pairNames(result) {
            parts.append("### \(escaped(pair.b)) against \(escaped(pair.a))")
            parts.append(
                table(
                    columns,
                    rows: decidedPairs(result, pair: pair).map { row($0, result: result) }
                )
            )
        }
        let reasons = notes(result)
        if !reasons.isEmpty { parts.append(list(reasons)) }
        let metrics = metricNames(result).found
        if !metrics.isEmpty {
            let rows = metrics.map { metric in
                [metric]
                    + result.arms.map { cell($0.metrics[metric], metric: metric, result: result) }
            }
            parts.append(
                "<details><summary>All metrics: medians with the interquartile range of the blocks"
                    + "</summary>\n\n" + table(["metric"] + result.arms.map(\.arm), rows: rows)
                    + "\n\n</details>"
            )
        }
        parts.append("<sub>" + method(result).map(escaped).joined(separator: "<br>") + "</sub>")
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func escaped(_ text: String) -> String { Escaping.markdown(text) }

    private static func list(_ lines: [String]) -> String {
        lines.map { "* " + escaped($0) }.joined(separator: "\n")
    }

    private static func table(_ titles: [String], rows: [[String]]) -> String {
        TextTable(titles, rows).markdown([":--"], "--:", escaped).joined(separator: "\n")
    }
}

/// A type that writes a comparison as comma-separated values (RFC 4180, with bare line feeds).
///
/// The `row` column specifies the kind of row. A `pair` row contains the verdict on a metric for
/// two arms, with the settings of arm `b`. A `value` row contains a metric's value for one arm in
/// one block. If the `control` column is `true`, the value is from the first arm's second run.
/// If `bound` is `true`, the true ratio is further from 1. Times are in nanoseconds, and rates are
/// in accesses/s. A cell without a measurement is empty.
public enum ComparisonCSV {
    private static let columns = [
        "row", "scenario", "seed", "metric", "a", "b", "primary", "lower_is_better", "ratio", "low",
        "high", "p", "verdict", "blocks", "noise_floor", "arm", "control", "block", "value",
        "versions", "journal_mode", "synchronous", "bound",
    ]

    /// Returns the header and all rows.
    public static func text(of result: ComparisonResult) -> String {
        let versions =
            result.environment.versions.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: " ")
        var lines = [columns.joined(separator: ",")]
        func add(_ cells: [String: String]) {
            var cells = cells
            cells["scenario"] = result.scenario
            cells["seed"] = String(result.seed)
            cells["versions"] = versions
            let settings = result.arms.first { $0.arm == cells["arm"] ?? cells["b"] }?
                .representative?.environment
            cells["journal_mode"] = settings?["journal_mode"]
            cells["synchronous"] = settings?["synchronous"]
            lines.append(columns.map { Escaping.csvCell(cells[$0] ?? "") }.joined(separator: ","))
        }
        for pair in result.pairs {
            var cells = [
                "row": "pair", "metric": pair.metric, "a": pair.a, "b": pair.b,
                "primary": String(pair.primary), "lower_is_better": String(pair.lowerIsBetter),
                "verdict": pair.verdict.rawValue, "blocks": String(pair.blocks),
            ]
            cells["bound"] = String(pair.isBound == true)
            cells["ratio"] = pair.ratio.map { String($0) }
            cells["low"] = pair.low.map { String($0) }
            cells["high"] = pair.high.map { String($0) }
            cells["p"] = pair.p.map { String($0) }
            cells["noise_floor"] = result.noiseFloor[pair.metric].map { String($0) }
            add(cells)
        }
        for (arm, isControl) in result.arms.map({ ($0, false) })
            + (result.control.map { [($0, true)] } ?? [])
        {
            for (metric, values) in arm.values.sorted(by: { $0.key < $1.key }) {
                for (block, value) in values.enumerated() {
                    add([
                        "row": "value", "metric": metric, "arm": arm.arm,
                        "control": String(isControl), "block": String(block + 1),
                        "value": value.map { String($0) } ?? "",
                    ])
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
