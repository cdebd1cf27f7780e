import Text

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
                    decidedPairs(result, pair).map { row($0, result) }
                )
            )
        }
        let reasons = notes(result)
        if !reasons.isEmpty { parts.append(list(reasons)) }
        let metrics = metricNames(result).found
        if !metrics.isEmpty {
            let rows = metrics.map { metric in
                [metric] + result.arms.map { cell($0.metrics[metric], metric, result) }
            }
            parts.append(
                "<details><summary>All metrics: medians with the interquartile range of the blocks"
                    + "</summary>\n\n" + table(["metric"] + result.arms.map(\.arm), rows)
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

    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        TextTable(titles, rows).markdown([":--"], "--:", escaped).joined(separator: "\n")
    }
}
