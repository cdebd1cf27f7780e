import Recording
import SQLiteWatch
import Text
import WorkloadEngine

/// The report on a recording, as paragraphs and tables for all formats.
struct RecordingTables {
    struct Table {
        var title: String
        var rows: [[String]]
    }

    let title: String
    private(set) var lead: [String]
    /// The findings, each with its remedy.
    let findings: [(text: String, remedy: String?)]
    let tables: [Table]
    private let intervals: [RecordedInterval]

    init(_ report: RecordingReport) {
        title = "Recording \(report.path)"
        let period = report.seconds
        lead = [
            "\(LocalTime.text(report.start)) to \(LocalTime.text(report.end)) local time: "
                + "\(HumanUnits.seconds(period)), "
                + HumanUnits.counted(report.samples, "sample", "samples")
                + ", \(HumanUnits.bytes(report.bytes))."
        ]
        if let triggers = report.triggers {
            let events = triggers.map { "\(LocalTime.text($0.time)) \($0.text)" }
            lead.append("Recorded because of: \(events.joined(separator: ", ")).")
        }
        lead += report.problems
        intervals = report.intervals
        findings = report.findings.map { Self.finding($0, report) }
        tables = [
            Table(title: "Sessions", rows: Self.sessionRows(report.sessions)),
            Table(title: "Sources", rows: Self.sourceRows(report.sources)),
            Table(title: "Worst seconds", rows: Self.worstRows(report.sources)),
            Table(
                title: "Longest waits",
                rows: [["time", "source", "wait", "waiters and holders"]]
                    + report.longestWaits.map { wait in
                        [
                            LocalTime.text(wait.time), wait.source,
                            HumanUnits.duration(seconds: wait.seconds), wait.detail ?? "–",
                        ]
                    }
            ),
            Table(
                title: "Gaps",
                rows: [["start", "duration", "source", "reason"]]
                    + report.gaps.map { gap in
                        [
                            LocalTime.text(gap.start), HumanUnits.seconds(gap.seconds),
                            gap.source ?? "–", gap.reason,
                        ]
                    }
            ),
            Table(
                title: "Messages",
                rows: [["time", "severity", "message"]]
                    + report.messages.map { [LocalTime.text($0.time), $0.severity, $0.text] }
            ),
            Table(title: "Intervals", rows: Self.intervalRows(report.intervals)),
        ].filter { $0.rows.count > 1 }
    }

    private static func finding(
        _ recorded: RecordedFinding,
        _ report: RecordingReport
    ) -> (text: String, remedy: String?) {
        let finding = recorded.finding
        let time =
            recorded.samples == 1
            ? LocalTime.text(recorded.start)
            : "\(LocalTime.text(recorded.start)) to \(LocalTime.text(recorded.end))"
        let source = report.sources.count > 1 ? "\(recorded.source), " : ""
        let share = "\(recorded.samples) of \(HumanUnits.counted(report.examinedSamples, "sample"))"
        return (
            "\(finding.level.mark) \(source)\(time) (\(share)): \(finding.text)", finding.remedy
        )
    }

    private static func sessionRows(_ sessions: [RecordingReport.Session]) -> [[String]] {
        [["session", "title", "start", "end"]]
            + sessions.map { session in
                let end = session.end.map { LocalTime.text($0) }
                return [
                    session.kind.rawValue, session.title, LocalTime.text(session.start),
                    end ?? "none: the recorder was killed or is still running",
                ]
            }
    }

    private static func sourceRows(_ sources: [RecordedPeriod]) -> [[String]] {
        [["source", "samples", "rate", "saturated", "busy", "log", "log growth"]]
            + sources.map { source in
                [
                    source.name, HumanUnits.exact(UInt64(source.samples)),
                    source.rate.map { HumanUnits.rate($0) } ?? "–",
                    source.saturation.map { HumanUnits.percent($0) } ?? "–",
                    source.busy.map { HumanUnits.exact($0) } ?? "–",
                    source.maximumLogBytes.map { "peak " + HumanUnits.bytes($0) } ?? "–",
                    growth(source.firstLogBytes, source.lastLogBytes),
                ]
            }
    }

    private static func growth(_ first: UInt64?, _ last: UInt64?) -> String {
        guard let first, let last else { return "–" }
        return last >= first
            ? "+" + HumanUnits.bytes(last - first) : "−" + HumanUnits.bytes(first - last)
    }

    private static func worstRows(_ sources: [RecordedPeriod]) -> [[String]] {
        var rows = [["by", "time", "value", "source"]]
        for source in sources {
            func add(_ name: String, _ worst: RecordedPeriod.Worst?, _ text: (Double) -> String) {
                guard let worst else { return }
                rows.append([name, LocalTime.text(worst.time), text(worst.value), source.name])
            }
            add("wait", source.worstWait) { HumanUnits.duration(seconds: $0) }
            add("log growth", source.worstLogGrowth) { "+" + HumanUnits.bytes(UInt64($0)) }
            add("busy", source.worstBusy) { HumanUnits.exact(UInt64($0)) }
            add("saturation", source.worstSaturation) { HumanUnits.percent($0) }
        }
        return rows
    }

    private static func intervalRows(_ intervals: [RecordedInterval]) -> [[String]] {
        [["start", "samples", "rate", "longest wait", "saturated", "busy", "log"]]
            + intervals.map { interval in
                [
                    LocalTime.text(interval.start), HumanUnits.exact(UInt64(interval.samples)),
                    interval.rate.map { HumanUnits.rate($0) } ?? "–",
                    HumanUnits.duration(seconds: interval.longestWait),
                    interval.saturation.map { HumanUnits.percent($0) } ?? "–",
                    interval.busy.map { HumanUnits.exact($0) } ?? "–",
                    interval.maximumLogBytes.map { HumanUnits.bytes($0) } ?? "–",
                ]
            }
    }
}

// MARK: Formats

extension RecordingTables {
    /// The title, the lead, and the findings.
    var summary: String { lines.joined(separator: "\n") + "\n" }

    private var lines: [String] {
        var lines = [Escaping.terminal(title)] + lead.map(Escaping.terminal)
        if !findings.isEmpty { lines += ["", "Findings"] }
        for (text, remedy) in findings {
            lines.append("  " + Escaping.terminal(text))
            if let remedy { lines.append("    → " + Escaping.terminal(remedy)) }
        }
        return lines
    }

    var text: String {
        var lines = lines
        for table in tables {
            lines += ["", table.title] + WatchText.table(table.rows).map { "  " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    var markdown: String {
        func row(_ cells: [String]) -> String {
            "| " + cells.map(Escaping.markdown).joined(separator: " | ") + " |"
        }
        var lines = ["# " + Escaping.markdown(title)]
        for paragraph in lead { lines += ["", Escaping.markdown(paragraph)] }
        if !findings.isEmpty { lines += ["", "## Findings", ""] }
        for (text, remedy) in findings {
            lines.append("* " + Escaping.markdown(text))
            if let remedy { lines.append("  → " + Escaping.markdown(remedy)) }
        }
        for table in tables {
            let columns = table.rows[0].count
            lines += ["", "## " + table.title, "", row(table.rows[0])]
            lines.append("|" + String(repeating: "---|", count: columns))
            lines += table.rows.dropFirst().map(row)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    func html(_ report: RecordingReport) throws -> String {
        var page = HTMLPage(title: title)
        page.lead = lead.map(Markup.paragraph)
        if !findings.isEmpty {
            let texts = findings.map { $0.text + ($0.remedy.map { " → " + $0 } ?? "") }
            page.add("Findings", [.list(texts)])
        }
        for table in tables {
            var htmlTable = HTMLTable(table.title, columns: table.rows[0])
            for row in table.rows.dropFirst() { htmlTable.add(row) }
            page.add(table.title, [htmlTable.markup])
        }
        try page.embed(report, id: "poolgauge-recording-report")
        return page.html
    }

    /// The intervals as CSV, with numbers in base units.
    var csv: String {
        let titles = [
            "start", "seconds", "samples", "rate", "longest_wait_seconds", "saturation", "busy",
            "maximum_log_bytes",
        ]
        let rows = intervals.map { interval in
            func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }
            let log = interval.maximumLogBytes.map { String($0) } ?? ""
            let first = [interval.start.text, text(interval.seconds), String(interval.samples)]
            let second = [text(interval.rate), text(interval.longestWait)]
            return first + second + [
                text(interval.saturation), interval.busy.map { String($0) } ?? "", log,
            ]
        }
        return ([titles] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
    }

    static func json(_ report: RecordingReport) throws -> String {
        try WatchJSON.document(report)
    }
}
