import Comparison
import Foundation
import Scenarios
import Telemetry
import Text
import WorkloadEngine

// Foundation declares the name, too.
import struct Comparison.ComparisonResult

/// A type that formats a comparison as a single HTML file without scripts or network access.
///
/// The page also contains the result as JSON, in an element with the identifier `result`.
public enum ComparisonHTML {
    /// Returns the page, ending with a line feed.
    ///
    /// - Throws: `EncodingError` if the result cannot be encoded as JSON.
    public static func text(of result: ComparisonResult) throws -> String {
        if let sweep = result.sweep { return try SweepReport.html(of: result, sweep) }
        let names = result.arms.map(\.arm).joined(separator: ", ")
        var page = HTMLPage(title: "\(result.scenario): \(names)")
        page.lead = lead(result)
        let runs = result.arms.compactMap(\.representative)
        page.add("Summary", summarySection(result))
        page.add("Percentiles", percentiles(result))
        page.add("Block by block", blocks(result))
        let block = result.representativeBlock.map { "Block \($0)" } ?? "One block"
        page.add(
            "Latency over time",
            body(
                withNote: "\(block), which is nearest to the medians of all blocks.",
                HTMLReport.arms(runs) {
                    [HTMLReport.latencyOverTime($1, id: "time-\($0)")]
                }
            )
        )
        page.add(
            "Connections and saturation",
            body(
                withNote: "\(block).",
                HTMLReport.arms(runs) {
                    HTMLReport.saturation($1, id: "saturation-\($0)")
                }
            )
        )
        page.add(
            "Write-ahead log",
            body(
                withNote: "\(block).",
                HTMLReport.arms(runs) { HTMLReport.log($1, id: "log-\($0)") }
            )
        )
        page.add(
            "What slow accesses waited for",
            body(withNote: "\(block).", HTMLReport.arms(runs) { HTMLReport.blame($1) })
        )
        page.add("All numbers", numbers(result, runs: runs, block: block))
        page.add(
            "Environment",
            [HTMLReport.environment(result.environment, seed: result.seed)]
                + HTMLReport.arms(runs) { [HTMLReport.pragmas($1)] }
        )
        if !result.environment.scenarioText.isEmpty {
            page.add(
                "Scenario",
                [.verbatim(result.environment.scenarioText, label: "Scenario text")]
            )
        }
        try page.embed(result, id: "result")
        return page.html
    }

    static func lead(_ result: ComparisonResult) -> [Markup] {
        func line(_ text: String, _ style: String) -> Markup {
            .element("p", ["class": "verdict \(style)"], .text(text))
        }
        return ComparisonReport.problems(of: result).map { line($0, "failed") }
            + result.answer.map { line($0, "lead") }
            + ComparisonReport.omissionLines(of: result).map { line($0, "") }
            + (result.warnings ?? []).map { line("Warning: \($0)", "failed") }
            + (result.environment.warnings ?? []).map { line("Warning: \($0)", "failed") }
            + (result.failIf ?? []).filter { !$0.failed }.map {
                line(ComparisonReport.passedLine($0), "passed")
            }
    }

    private static func summarySection(_ result: ComparisonResult) -> [Markup] {
        var parts: [Markup] = []
        var charts: [Markup] = []
        for (index, name) in ComparisonReport.pairNames(result).enumerated() {
            let pairs = result.pairs.filter { $0.a == name.a && $0.b == name.b }
            let title = "\(name.b) against \(name.a)"
            let decided = pairs.filter(\.primary)
            charts.append(
                IntervalChart(
                    id: "pair-\(index)",
                    title: title,
                    rows: decided.map { pair in
                        IntervalChart.Row(
                            name: pair.metric,
                            ratio: pair.ratio,
                            low: pair.low,
                            high: pair.high,
                            floor: result.noiseFloor[pair.metric],
                            verdict: pair.verdict.rawValue,
                            isBound: pair.isBound == true
                        )
                    }
                ).markup
            )
            parts.append(table(decided, caption: "\(title), primary metrics", result: result))
        }
        return [
            .paragraph(ComparisonReport.title(of: result) + "."),
            .element("div", ["class": "charts"], .group(charts)),
        ] + parts + [.list(ComparisonReport.method(result))]
    }

    private static func table(
        _ pairs: [ComparisonPair],
        caption: String,
        result: ComparisonResult
    ) -> Markup {
        var table = HTMLTable(caption, columns: ["metric"] + ComparisonReport.columns.dropFirst())
        for pair in pairs { table.add(ComparisonReport.row(pair, result: result)) }
        return table.markup
    }

    private static func body(withNote note: String, _ body: [Markup]) -> [Markup] {
        body.isEmpty ? [] : [.element("p", ["class": "note"], .text(note))] + body
    }

    private static func percentiles(_ result: ComparisonResult) -> [Markup] {
        let names = Set(result.arms.flatMap(\.spectra.keys)).sorted()
        let charts = names.enumerated().compactMap { index, name -> Markup? in
            let series = result.arms.compactMap { arm in
                arm.spectra[name].map { LineChart.Series(name: arm.arm, points: points($0)) }
            }.filter { $0.points.count > 1 }
            guard !series.isEmpty else { return nil }
            let title = "\(name): response on each arm"
            let all = series.flatMap(\.points)
            let summaries = result.arms.compactMap { arm in
                arm.spectra[name].map { (arm: arm.arm, summary: summary($0)) }
            }
            let columns = LatencyColumns(
                [.p50, .p90, .p99, .p999, .p9999, .max],
                for: summaries.map(\.summary)
            )
            var table = HTMLTable(
                "\(title), in numbers",
                columns: [""] + columns.titles + ["accesses"]
            )
            for (arm, summary) in summaries {
                table.add([arm] + columns.cells(summary) + [HumanUnits.exact(summary.count)])
            }
            return LineChart(
                id: "spectrum-\(index)",
                title: title,
                x: .percentiles(upTo: all.map(\.x).max() ?? 1),
                y: .latency("response", all.compactMap(\.y)),
                series: series,
                table: table
            ).markup
        }
        guard !charts.isEmpty else { return [] }
        return [HTMLReport.spectrumNote, .element("div", ["class": "charts"], .group(charts))]
    }

    private static func points(_ spectrum: PercentileCurve) -> [(x: Double, y: Double?)] {
        spectrum.points.filter { $0.percentile < 100 }.map { point in
            (-log10(1 - point.percentile / 100), max(1, Double(point.nanoseconds)))
        }
    }

    private static func summary(_ spectrum: PercentileCurve) -> LatencySummary {
        LatencySummary(
            count: spectrum.count,
            mean: 0,
            p50: value(spectrum, at: 50),
            p90: value(spectrum, at: 90),
            p99: value(spectrum, at: 99),
            p999: value(spectrum, at: 99.9),
            p9999: value(spectrum, at: 99.99),
            max: spectrum.max
        )
    }

    /// Returns the latency of the first point that reaches a percentile, if any.
    private static func value(_ spectrum: PercentileCurve, at percentile: Double) -> UInt64? {
        spectrum.points.first { $0.percentile >= percentile - 1e-9 }?.nanoseconds
    }

    private static func blocks(_ result: ComparisonResult) -> [Markup] {
        let metrics = result.primary.isEmpty ? [] : result.primary
        let charts = metrics.enumerated().compactMap { index, metric -> Markup? in
            let series = (result.arms + (result.control.map { [renamedControl($0)] } ?? [])).map {
                arm in
                LineChart.Series(
                    name: arm.arm,
                    points: (arm.values[metric] ?? []).enumerated().map {
                        (Double($0 + 1), $1)
                    }
                )
            }.filter { !$0.points.isEmpty }
            let values = series.flatMap(\.points).compactMap(\.y)
            guard !values.isEmpty else { return nil }
            let format = formatter(for: metric)
            var table = HTMLTable(
                "\(metric), block by block",
                columns: ["block"] + series.map(\.name)
            )
            for block in 0..<(series.map(\.points.count).max() ?? 0) {
                table.add(
                    [String(block + 1)]
                        + series.map { line in
                            block < line.points.count
                                ? line.points[block].y.map(format) ?? "–" : "–"
                        }
                )
            }
            return LineChart(
                id: "block-\(index)",
                title: "\(metric), block by block",
                x: .blocks(series.map(\.points.count).max() ?? 1),
                y: isLatency(metric)
                    ? .latency(metric, values)
                    : .linear(metric, upTo: values.max() ?? 1, minimumTop: 1e-6, format: format),
                series: series,
                table: table
            ).markup
        }
        guard !charts.isEmpty else { return [] }
        return [.element("div", ["class": "charts"], .group(charts))]
    }

    private static func formatter(for metric: String) -> @Sendable (Double) -> String {
        // The catalog needs only the metric's client, which precedes the first dot.
        let client = metric.split(separator: ".").first.map(String.init) ?? ""
        guard let known = try? ComparisonMetric(metric, in: MetricCatalog(clients: [client])) else {
            return { ReportUnits.plain($0) }
        }
        return { known.unit.text($0) }
    }

    private static func isLatency(_ metric: String) -> Bool {
        metric.split(separator: ".").dropFirst().contains {
            ClientMetrics.isLatency(String($0))
        }
    }

    private static func renamedControl(_ arm: ArmComparison) -> ArmComparison {
        var arm = arm
        arm.arm += ", again"
        return arm
    }

    private static func numbers(
        _ result: ComparisonResult,
        runs: [ArmResult],
        block: String
    ) -> [Markup] {
        var medians = HTMLTable(
            "Medians across blocks, with the interquartile range of the blocks",
            columns: ["metric"] + result.arms.map(\.arm)
        )
        let (metrics, missing) = ComparisonReport.metricNames(result)
        for metric in metrics {
            medians.add(
                [metric]
                    + result.arms.map {
                        ComparisonReport.cell($0.metrics[metric], metric: metric, result: result)
                    }
            )
        }
        var order = HTMLTable(
            "Order of the arms",
            columns: ["block", "order"],
            textColumnCount: 2
        )
        for (index, names) in result.order.enumerated() {
            order.add([String(index + 1), names.joined(separator: ", ")])
        }
        var noise = HTMLTable(
            "Noise between two runs of the same arm",
            columns: ["metric", "ratio", "95%", "p", "blocks", "noise floor"]
        )
        for entry in result.noise {
            noise.add([
                entry.metric, ReportUnits.roundRatio(entry.ratio),
                ReportUnits.range(entry.low, entry.high),
                ComparisonReport.probability(entry.p), String(entry.blocks),
                ReportUnits.roundRatio(entry.floor),
            ])
        }
        let others = result.pairs.filter { !$0.primary }
        let pairs = ComparisonReport.pairNames(result).map { name in
            table(
                others.filter { $0.a == name.a && $0.b == name.b },
                caption: "\(name.b) against \(name.a), other metrics",
                result: result
            )
        }
        let missingNote = missing.map { Markup.paragraph("Too few samples on every arm: \($0).") }
        return [medians.markup, missingNote ?? .empty] + pairs + [noise.markup, order.markup]
            + body(withNote: "\(block):", HTMLReport.arms(runs) { HTMLReport.numbers($1) })
    }
}

extension JUnitReport {
    /// Returns the document for a comparison, ending with a line feed.
    public static func text(of result: ComparisonResult) -> String {
        var cases = (result.failIf ?? []).map { condition in
            Case(
                name: condition.expression,
                outcome: condition.failed ? .failure("regression", condition.reason) : .passed
            )
        }
        let answer = result.answer.joined(separator: " ")
        let problems =
            (result.failedRuns ?? []) + (result.violations ?? []) + (result.invalidRuns ?? [])
        cases.insert(
            Case(
                name: "comparison",
                outcome: problems.isEmpty && !result.partial
                    ? .passed
                    : .error(
                        problems.isEmpty
                            ? "stopped after \(HumanUnits.counted(result.blocks, "block"))"
                            : problems.joined(separator: "; ")
                    ),
                output: answer.isEmpty ? nil : answer
            ),
            at: 0
        )
        let seconds = result.blockDuration * Double(result.order.joined().count)
        let settings = result.arms.compactMap { arm in
            arm.representative?.journalSettings.map { (name: arm.arm, value: $0) }
        }
        let facts = facts(of: result.environment, seed: result.seed)
        return document([
            Suite(
                name: result.scenario,
                seconds: seconds,
                cases: cases,
                properties: settings + facts
            )
        ])
    }
}
