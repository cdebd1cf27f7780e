/// A report as text of at most 100 columns, where names and paths permit.
///
/// Names, paths and command lines are escaped: no control character of another program reaches a
/// terminal.
public struct WatchText {
    private let report: WatchReport
    private var lines: [String] = []

    /// The processes, pins and episodes that are shown.
    private static let limit = 20
    private static let width = 100

    /// The lines of a report, with a newline at the end.
    public static func text(of report: WatchReport) -> String {
        var text = WatchText(report)
        text.compose()
        return text.lines.map(PrintableText.escaped).joined(separator: "\n") + "\n"
    }

    private init(_ report: WatchReport) { self.report = report }

    private mutating func compose() {
        file()
        wal()
        rollback()
        processes()
        pins()
        tables()
        episodes()
        lines += WatchStatementText.lines(of: report)
        verdict()
        for note in report.notes { wrap(note, first: "note: ", rest: "      ") }
        let window = report.window
        let readers =
            window.listSamples < window.samples
            ? ", \(WatchUnits.count(UInt64(window.listSamples))) of them with readers" : ""
        lines.append(
            "\(WatchUnits.count(UInt64(window.samples), "sample")) in "
                + "\(WatchUnits.duration(window.seconds)) at random moments\(readers); poolgauge "
                + "used \(WatchUnits.percent(window.processorShare)) of a core"
        )
    }

    private mutating func file() {
        let file = report.file
        lines.append(file.path)
        guard file.state == .present else {
            let problem = file.problem.map { ": \($0)" } ?? ""
            lines.append("  \(Self.words(file.state))\(problem)")
            return
        }
        var parts = ["file " + (file.bytes.map(WatchUnits.bytes) ?? "?")]
        if let pages = file.pages {
            parts.append(
                WatchUnits.count(pages, "page")
                    + (file.pageSize.map { " of \(WatchUnits.bytes(UInt64($0)))" } ?? "")
                    + (file.freePages.map { ", \(WatchUnits.count($0)) free" } ?? "")
            )
        }
        parts.append(file.journalMode == .wal ? "WAL" : "rollback journal")
        if let encoding = file.encoding { parts.append(encoding.rawValue) }
        if let vacuum = file.autoVacuum { parts.append("auto-vacuum \(vacuum.rawValue)") }
        if let version = file.userVersion, version != 0 { parts.append("user_version \(version)") }
        if let application = file.applicationID, application != 0 {
            parts.append("application_id \(application)")
        }
        if let system = file.fileSystem { parts.append(system.type) }
        list(parts)
    }

    private mutating func wal() {
        guard let wal = report.wal else { return }
        var parts = ["log \(WatchUnits.bytes(wal.bytes))"]
        if let frames = wal.frames, let backfilled = wal.backfilled {
            parts.append(
                "\(WatchUnits.count(frames, "frame")) in use, "
                    + "\(WatchUnits.count(backfilled)) copied back, "
                    + "\(WatchUnits.count(wal.pinned ?? 0)) pinned"
            )
        } else {
            parts.append("no wal-index")
        }
        parts.append("\(WatchUnits.rate(wal.commitsPerSecond)) commits")
        parts.append("\(WatchUnits.rate(wal.framesPerSecond)) frames")
        parts.append(WatchUnits.count(wal.checkpoints, "checkpoint"))
        parts.append(WatchUnits.count(wal.resets, "reset"))
        list(parts)
    }

    private mutating func rollback() {
        guard let rollback = report.rollback else { return }
        var parts = ["\(WatchUnits.rate(rollback.transactionsPerSecond)) transactions"]
        if let bytes = rollback.journalBytes {
            parts.append((rollback.isHot ? "hot journal " : "journal ") + WatchUnits.bytes(bytes))
        }
        lines.append("  " + parts.joined(separator: " · "))
    }

    private mutating func processes() {
        lines.append("")
        guard !report.processes.isEmpty else {
            lines.append("no visible process uses it")
            return
        }
        var rows = [["pid", "name", "user", "cpu", "write", "read", "checkpoint", "now"]]
        for process in report.processes.prefix(Self.limit) {
            rows.append([
                String(process.pid), process.name, process.user ?? "",
                process.processorShare.map(WatchUnits.percent) ?? "",
                Self.share(process.share.writer), Self.share(process.share.reader),
                Self.share(process.share.checkpoint), Self.now(process),
            ])
        }
        lines += Self.table(rows)
        let more = report.processes.count - Self.limit
        if more > 0 { lines.append("and \(more) more") }
    }

    private mutating func pins() {
        guard !report.pins.isEmpty else { return }
        lines.append("")
        var rows = [["pinned by", "mark", "frame", "frames", "bytes", "for at least"]]
        for pin in report.pins.prefix(Self.limit) {
            rows.append([
                "\(pin.name) (\(pin.pid))", String(pin.mark), WatchUnits.count(pin.frame),
                WatchUnits.count(pin.frames), WatchUnits.bytes(pin.bytes),
                WatchUnits.duration(pin.seconds),
            ])
        }
        lines += Self.table(rows)
    }

    private mutating func tables() {
        guard let coverage = report.tablesCoverage, coverage.framesRead > 0 else { return }
        lines.append("")
        var rows = [["frames of", "kind", "share", "frames"]]
        for table in report.tables.prefix(Self.limit) {
            rows.append([
                table.name.isEmpty
                    ? (table.kind == .schema ? "(header, schema)" : "–") : table.name,
                table.kind.rawValue,
                WatchUnits.percent(table.share), WatchUnits.count(table.frames),
            ])
        }
        lines += Self.table(rows)
        if coverage.readShare < 0.999 {
            lines.append(
                "\(WatchUnits.percent(coverage.readShare)) of the frames written were examined"
            )
        }
    }

    private mutating func episodes() {
        guard !report.episodes.isEmpty else { return }
        lines.append("")
        var rows = [["episode", "process", "began", "lasted", "waited, probably"]]
        for episode in report.episodes.prefix(Self.limit) {
            rows.append([
                episode.kind.rawValue, "\(episode.name) (\(episode.pid))", episode.start.text,
                WatchUnits.duration(episode.seconds) + (episode.end == nil ? ", not ended" : ""),
                episode.waiters.prefix(4).map { "\($0.name) (\($0.pid))" }
                    .joined(separator: ", "),
            ])
        }
        lines += Self.table(rows)
    }

    private mutating func verdict() {
        lines.append("")
        for finding in report.findings.isEmpty ? [report.verdict] : report.findings {
            let mark = finding.kind == .nothing ? "✔ " : "▲ "
            wrap(finding.text, first: mark, rest: "  ")
            if let remedy = finding.remedy { wrap(remedy, first: "  → ", rest: "    ") }
        }
        lines.append("")
    }

    // MARK: Words

    private static func words(_ state: WatchedFile.State) -> String {
        switch state {
        case .present: "present"
        case .empty: "empty: no transaction has written to it"
        case .missing: "missing"
        case .notADatabase: "not a SQLite database"
        case .unreadable: "unreadable"
        }
    }

    private static func share(_ estimate: WatchedEstimate) -> String {
        guard estimate.value > 0 else { return "–" }
        let error = WatchUnits.decimal(estimate.error * 100)
        return "\(WatchUnits.decimal(estimate.value * 100)) ± \(error) %"
    }

    private static func now(_ process: WatchedProcess) -> String {
        var parts = process.locks.map { lock in
            var text = lock.kind.rawValue
            if let mark = lock.mark { text += " mark \(mark)" }
            if let frame = lock.frame, lock.mark != 0 {
                text += " frame \(WatchUnits.count(frame))"
            }
            if lock.seconds > 0 {
                let sign = lock.isContinuous ? "≥ " : "~ "
                text += " \(sign)\(WatchUnits.duration(lock.seconds))"
            }
            return text
        }
        if process.waiting?.isWaiting == true { parts.append("probably waits") }
        return parts.isEmpty ? "idle" : parts.joined(separator: ", ")
    }

    // MARK: Layout

    /// Rows with aligned columns; the last column is as wide as it needs.
    static func table(_ rows: [[String]]) -> [String] {
        let escaped = rows.map { $0.map(PrintableText.escaped) }
        let columns = escaped.first?.count ?? 0
        let widths = (0..<columns).map { column in
            escaped.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return escaped.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - cell.count + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Parts of a line, which is broken between them where it is too long.
    private mutating func list(_ parts: [String]) {
        var line = ""
        for part in parts {
            if line.isEmpty {
                line = "  " + part
            } else if line.count + 3 + part.count > Self.width {
                lines.append(line)
                line = "  " + part
            } else {
                line += " · " + part
            }
        }
        lines.append(line)
    }

    private mutating func wrap(_ text: String, first: String, rest: String) {
        lines += Self.wrapped(text, first: first, rest: rest)
    }

    /// The lines of a paragraph, with what precedes the first one and all others.
    static func wrapped(_ text: String, first: String, rest: String) -> [String] {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
