import Findings
import Foundation
import Recording
import Reports
import SQLiteWatch
import Scenarios
import Text

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
        findings = report.findings.map { Self.finding($0, report: report) }
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
        report: RecordingReport
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
                    growth(from: source.firstLogBytes, to: source.lastLogBytes),
                ]
            }
    }

    private static func growth(from first: UInt64?, to last: UInt64?) -> String {
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

/// A time in a recording: an offset, a time of day, or a date with a time.
enum RecordingMoment: Equatable {
    /// A time after the start of the recording, in milliseconds.
    case offset(Int64)
    /// A time before the end of the recording, in milliseconds.
    case beforeEnd(Int64)
    /// A local time of day, in seconds since midnight.
    case clock(Int)
    /// A time in milliseconds since 1970.
    case absolute(Int64)

    /// Parses text such as `10m`, `90`, `-5m`, `02:13`, `02:13:05`, or an ISO 8601 time.
    ///
    /// Returns `nil` for other text.
    init?(_ text: String) {
        let text = text.filter { $0 != " " }
        if let offset = Self.milliseconds(of: text) {
            self = .offset(offset)
        } else if ["-", "−"].contains(text.first),
            let offset = Self.milliseconds(of: String(text.dropFirst()))
        {
            self = .beforeEnd(offset)
        } else if let seconds = Self.secondsOfDay(text) {
            self = .clock(seconds)
        } else if let time = Self.isoTime(text) {
            self = .absolute(time)
        } else {
            return nil
        }
    }

    /// The accepted forms, for help and error messages.
    static let forms =
        "10m or 90s (after the start), -5m (before the end), 02:13 or 02:13:05 (local time), or "
        + "2026-11-26T02:13:00Z"

    /// Returns the time in milliseconds since 1970, for a recording from `start` to `end`.
    ///
    /// A time of day refers to its first occurrence at or after the start. If that occurrence is
    /// after the end of the recording, the time refers to the day on which the recording starts.
    func milliseconds(from start: Int64, to end: Int64, timeZone: TimeZone = .current) -> Int64 {
        switch self {
        case .offset(let offset): return start + offset
        case .beforeEnd(let offset): return end - offset
        case .absolute(let time): return time
        case .clock(let seconds):
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = timeZone
            let date = Date(timeIntervalSince1970: Double(start) / 1000)
            let midnight = calendar.startOfDay(for: date)
            let today = Int64(midnight.timeIntervalSince1970) * 1000 + Int64(seconds) * 1000
            let tomorrow = today + 86_400_000
            // The recording may start within the specified minute.
            return today >= start - 60_000 || tomorrow > end ? today : tomorrow
        }
    }

    private static func milliseconds(of text: String) -> Int64? {
        if let seconds = Double(text), seconds >= 0, seconds < 1e9 { return Int64(seconds * 1000) }
        guard text.first?.isNumber == true, let duration = try? Quantity.duration(text) else {
            return nil
        }
        return Int64(duration.wholeNanoseconds / 1_000_000)
    }

    private static func secondsOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let numbers = parts.compactMap { $0.count <= 2 ? Int($0) : nil }
        guard numbers.count == parts.count, (0..<24).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0..<60).contains($0) })
        else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
    }

    private static func isoTime(_ text: String) -> Int64? {
        let styles = [
            Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
        ]
        for candidate in [text, text + "Z"] {
            for style in styles {
                if let date = try? Date(candidate, strategy: style) {
                    return Int64((date.timeIntervalSince1970 * 1000).rounded())
                }
            }
        }
        return nil
    }
}

/// A formatter for times in the local time zone.
enum LocalTime {
    /// Returns text such as `2026-11-26 02:13:05`.
    static func text(_ time: WatchTime, timeZone: TimeZone = .current) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: date
        )
        func twoDigits(_ number: Int?) -> String {
            ((number ?? 0) < 10 ? "0" : "") + "\(number ?? 0)"
        }
        return "\(parts.year ?? 0)-\(twoDigits(parts.month))-\(twoDigits(parts.day)) "
            + "\(twoDigits(parts.hour)):\(twoDigits(parts.minute)):\(twoDigits(parts.second))"
    }
}
