import Comparison
import Text

/// A type that formats a comparison at the values of a setting, with one row for each value.
///
/// Each table is about one primary metric. Unless the user chooses more metrics, there is only one.
package enum SweepReport {
    /// Returns the report as text.
    static func text(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        var lines = ComparisonReport.problems(of: result) + result.answer
        lines += ComparisonReport.omissionLines(of: result)
        lines += (result.warnings ?? []).map { "warning: \($0)" }
        lines += ["", title(of: result, sweep)]
        for metric in result.primary {
            lines += ["", metric] + table(metric, result: result, sweep: sweep).lines(indent: "  ")
        }
        lines += ComparisonReport.notes(result).map { "  \($0)" }
        return ReportLines.text(lines + [""] + ComparisonReport.method(result))
    }

    /// Returns the report as Markdown.
    static func markdown(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        let escaped = Escaping.markdown
        func list(_ lines: [String]) -> [String] {
            lines.isEmpty ? [] : [lines.map { "* " + escaped($0) }.joined(separator: "\n")]
        }
        var parts = ["## " + escaped(result.scenario)]
        parts += list(ComparisonReport.problems(of: result))
        parts += result.answer.map { "**\(escaped($0))**" }
        parts += list(
            ComparisonReport.omissionLines(of: result)
                + (result.warnings ?? []).map { "warning: \($0)" }
        )
        parts.append(escaped(title(of: result, sweep)))
        for metric in result.primary {
            let lines = table(metric, result: result, sweep: sweep).markdown(
                [":--"],
                "--:",
                escaped
            )
            parts += ["### " + escaped(metric), lines.joined(separator: "\n")]
        }
        parts += list(ComparisonReport.notes(result))
        let method = ComparisonReport.method(result).map(escaped).joined(separator: "<br>")
        parts.append("<sub>\(method)</sub>")
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Returns the HTML page, with one chart for each primary metric.
    ///
    /// - Throws: `EncodingError` if the result cannot be encoded as JSON.
    static func html(of result: ComparisonResult, _ sweep: SweepSummary) throws -> String {
        let names = sweep.arms.joined(separator: ", ")
        var page = HTMLPage(title: "\(result.scenario): \(names) by \(sweep.variable)")
        page.lead = ComparisonHTML.lead(result)
        for (index, metric) in result.primary.enumerated() {
            page.add(
                metric,
                [
                    .paragraph(title(of: result, sweep) + "."),
                    chart(metric, result: result, sweep: sweep, id: "sweep-\(index)"),
                    htmlTable(metric, result: result, sweep: sweep),
                ]
            )
        }
        let notes = ComparisonReport.notes(result) + ComparisonReport.method(result)
        page.add("Method and environment", [.list(notes)])
        if !result.environment.scenarioText.isEmpty {
            page.add(
                "Scenario",
                [.verbatim(result.environment.scenarioText, label: "Scenario text")]
            )
        }
        try page.embed(result, id: "result")
        return page.html
    }

    /// Describes the runs, as in `sync: pool against queue at 4 values of readers; 8 blocks …`.
    private static func title(of result: ComparisonResult, _ sweep: SweepSummary) -> String {
        let subject =
            sweep.arms.count > 1
            ? "\(sweep.arms[1]) against \(sweep.arms[0])" : sweep.arms.joined()
        return "\(result.scenario): \(subject) at "
            + "\(HumanUnits.counted(sweep.rows.count, "value")) of \(sweep.variable); "
            + "\(HumanUnits.counted(result.blocks, "block")) of runs of "
            + "\(ReportUnits.seconds(result.blockDuration)), in random order"
    }

    // MARK: Rows

    private static func titles(_ sweep: SweepSummary) -> [String] {
        [sweep.variable] + sweep.arms + ComparisonReport.columns.dropFirst(3)
    }

    private static func rows(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> [[String]] {
        sweep.rows.map { row in
            guard let pair = row.pair(metric, in: result) else {
                let value = ComparisonReport.median(of: row.b, metric, result: result)
                return [row.value, value, "–", "–", "–", "–", "baseline"]
            }
            let cells = ComparisonReport.row(pair, result: result)
            return [row.value] + cells.dropFirst(sweep.arms.count > 1 ? 1 : 2)
        }
    }

    private static func table(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> TextTable {
        TextTable(titles(sweep), rows(metric, result: result, sweep: sweep))
    }

    private static func htmlTable(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary
    ) -> Markup {
        var table = HTMLTable("\(metric) by \(sweep.variable)", columns: titles(sweep))
        for row in rows(metric, result: result, sweep: sweep) { table.add(row) }
        return table.markup
    }

    private static func chart(
        _ metric: String,
        result: ComparisonResult,
        sweep: SweepSummary,
        id: String
    ) -> Markup {
        let baseline =
            sweep.arms.count > 1
            ? sweep.arms[0] : "\(sweep.variable) \(sweep.rows.first?.value ?? "")"
        return IntervalChart(
            id: id,
            title: "\(metric) of \(sweep.arms.last ?? "") divided by that of \(baseline)",
            rows: sweep.rows.compactMap { row in
                row.pair(metric, in: result).map { pair in
                    IntervalChart.Row(
                        name: "\(sweep.variable) \(row.value)",
                        ratio: pair.ratio,
                        low: pair.low,
                        high: pair.high,
                        floor: result.noiseFloor[metric],
                        verdict: pair.verdict.rawValue,
                        isBound: pair.isBound == true
                    )
                }
            }
        ).markup
    }
}
