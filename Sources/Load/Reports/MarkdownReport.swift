import Telemetry
import Text
import WorkloadEngine

/// A type that formats a result as Markdown for a pull request.
public enum MarkdownReport {
    /// Returns the report, ending with a line feed.
    public static func text(of result: RunResult) -> String {
        var parts = ["## \(Escaping.markdown(result.scenario))"]
        let failures = (result.failures ?? []).map { "* **FAILED** " + Escaping.markdown($0) }
        parts.append(
            (failures + result.runs.map { "* " + verdict($0, of: result) })
                .joined(separator: "\n")
        )
        parts.append(clients(result))
        parts += result.runs.compactMap(notes)
        let checks = checks(result)
        if !checks.isEmpty { parts.append(checks) }
        let settings = ArmSettings.lines(result.runs.map { ($0.arm, $0.journalSettings) })
        let environment = (settings + TextReport.environment(result)).map(Escaping.markdown)
        parts.append("<sub>" + environment.joined(separator: "<br>") + "</sub>")
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func verdict(_ run: ArmResult, of result: RunResult) -> String {
        let line = TextReport.verdict(of: run, scenario: result.scenario)
        let word = TextReport.verdictWord(of: run)
        return "**\(word)**" + Escaping.markdown(String(line.dropFirst(word.count)))
    }

    private static func clients(_ result: RunResult) -> String {
        let summary = ClientSummary(result.runs)
        var table = TextTable(
            ["arm", "client", "completed", "rate"] + summary.latencies.titles
                + ["waiting p99", "errors", "skipped"]
        )
        for run in result.runs {
            for (name, client) in run.clients.sorted(by: { $0.key < $1.key }) {
                table.add([run.arm] + summary.cells(name, client: client))
            }
        }
        var lines = table.markdown([":--", ":--"], "--:", Escaping.markdown)
        if result.runs.contains(where: { $0.clients.values.contains(where: \.showsClosedLoop) }) {
            lines.append("")
            lines.append(
                "† closed loop: a worker runs one access at a time, so a stall delays "
                    + "only one access."
            )
        }
        return lines.joined(separator: "\n")
    }

    private static func notes(_ run: ArmResult) -> String? {
        var lines: [String] = []
        for (client, reason) in (run.unsupported ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("\(client) did not run: \(reason)")
        }
        for (client, blame) in (run.blame ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append(
                blame.sentences(of: client).map { String($0.drop { $0 == " " }) }
                    .joined(separator: "; ")
            )
        }
        lines += (run.findings ?? []).map { finding in
            "\(finding.level.mark) \(TextReport.oneLine(finding.text, limit: .max))"
                + (finding.remedy.map { " → \($0)" } ?? "")
        }
        lines += TextReport.fairness(run).map { String($0.drop { $0 == " " }) }
        lines += (run.wal?.pins ?? []).prefix(3).map { "WAL: " + TextReport.sentence($0) }
        guard !lines.isEmpty else { return nil }
        return "**\(Escaping.markdown(run.arm))**\n\n"
            + lines.map { "* " + Escaping.markdown($0) }.joined(separator: "\n")
    }

    private static func checks(_ result: RunResult) -> String {
        let checks = result.runs.flatMap { run in
            TextReport.checks(run).map { [run.arm, String($0.drop { $0 == " " })] }
        }
        guard !checks.isEmpty else { return "" }
        return TextTable(["arm", "check"], checks).markdown([":--"], ":--", Escaping.markdown)
            .joined(separator: "\n")
    }
}

/// A table that can be formatted as aligned text or as Markdown.
///
/// In aligned text, the first column is left-aligned and the other columns are right-aligned.
package struct TextTable {
    private var rows: [[String]]

    package init(_ titles: [String], _ rows: [[String]] = []) {
        self.rows = [titles] + rows
    }

    package mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// Returns the lines of a Markdown table.
    ///
    /// - Parameters:
    ///   - alignments: The alignments of the first columns, such as `:--`.
    ///   - otherAlignment: The alignment of the other columns.
    ///   - escaped: A function that escapes the text of a cell.
    /// - Returns: The lines.
    func markdown(
        _ alignments: [String] = [],
        _ otherAlignment: String = "---",
        _ escaped: (String) -> String = Escaping.markdown
    ) -> [String] {
        let count = rows.first?.count ?? 0
        let rest = [String](repeating: otherAlignment, count: max(0, count - alignments.count))
        let lines = rows.map { "| " + $0.map(escaped).joined(separator: " | ") + " |" }
        return lines.prefix(1) + ["|" + (alignments + rest).joined(separator: "|") + "|"]
            + lines.dropFirst()
    }

    /// Returns the lines of aligned text, with two spaces between columns and no trailing spaces.
    package func lines(indent: String = "") -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = indent
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                if column == 0 {
                    line += cell + padding
                } else {
                    line += "  " + padding + cell
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
