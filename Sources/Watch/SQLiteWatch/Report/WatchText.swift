import Findings
import Foundation
import Text

/// A formatter that converts a report to text that is at most 100 columns wide unless names or paths
/// are longer.
///
/// Names, paths, and command lines are escaped so that control characters from other programs do
/// not reach a terminal.
public struct WatchText {
    private let report: WatchReport
    private let cutsStatements: Bool
    private var lines: [String] = []

    /// The maximum number of rows to show in each table.
    private static let limit = 20
    /// The maximum number of episodes, of which the findings name the longest.
    private static let episodeLimit = 8
    private static let width = 100

    /// Returns the text of a report with a newline at the end.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - cutsStatements: Whether to shorten long SQL, for a terminal.
    /// - Returns: The text.
    public static func text(of report: WatchReport, cutsStatements: Bool = false) -> String {
        var text = WatchText(report, cutsStatements)
        text.compose()
        return text.lines.map(Escaping.terminal).joined(separator: "\n") + "\n"
    }

    private init(_ report: WatchReport, _ cutsStatements: Bool) {
        self.report = report
        self.cutsStatements = cutsStatements
    }

    private mutating func compose() {
        appendFile()
        appendWAL()
        appendRollback()
        appendProcesses()
        appendPins()
        appendTables()
        appendEpisodes()
        lines += WatchStatementText.lines(of: report, cutsStatements: cutsStatements)
        appendFindings()
        for note in report.notes { appendWrapped(note, first: "note: ", rest: "      ") }
        let window = report.window
        let readers =
            window.listSamples < window.samples
            ? "; \(HumanUnits.exact(UInt64(clamping: window.listSamples))) of them included readers"
            : ""
        lines.append(
            "\(HumanUnits.exact(UInt64(clamping: window.samples), "sample")) in "
                + "\(HumanUnits.duration(seconds: window.seconds)) at random times\(readers); "
                + "poolgauge used \(HumanUnits.percent(window.processorShare)) of a core"
        )
    }

    private mutating func appendFile() {
        let file = report.file
        lines.append(FilePath.shown(file.path))
        guard file.state == .present else {
            let problem = file.problem.map { ": \($0)" } ?? ""
            lines.append("  \(Self.words(file.state))\(problem)")
            return
        }
        guard file.path != ":memory:" else {
            lines.append("  databases in memory")
            return
        }
        var parts = ["file " + (file.bytes.map(HumanUnits.bytes) ?? "?")]
        if let pages = file.pages {
            parts.append(
                HumanUnits.exact(pages, "page")
                    + file.pageSizeText
                    + (file.freePages.map { ", \(HumanUnits.exact($0)) free" } ?? "")
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
        appendParts(parts)
    }

    private mutating func appendWAL() {
        guard let wal = report.wal else { return }
        var parts = ["log \(HumanUnits.bytes(wal.bytes))"]
        if let frames = wal.frames, let backfilled = wal.backfilled {
            parts.append(
                "\(HumanUnits.exact(frames, "frame")) in use, "
                    + "\(HumanUnits.exact(backfilled)) checkpointed, "
                    + "\(wal.pinned.map { HumanUnits.exact($0) } ?? "unknown number") pinned"
            )
        } else {
            parts.append("no wal-index: commits and checkpoints are unknown")
        }
        if let rate = wal.commitsPerSecond { parts.append("\(HumanUnits.rate(rate)) commits") }
        if let rate = wal.framesPerSecond { parts.append("\(HumanUnits.rate(rate)) frames") }
        if let count = wal.checkpoints { parts.append(HumanUnits.exact(count, "checkpoint")) }
        if let count = wal.resets { parts.append(HumanUnits.exact(count, "reset")) }
        appendParts(parts)
    }

    private mutating func appendRollback() {
        guard let rollback = report.rollback else { return }
        var parts = [
            rollback.transactionsPerSecond.map { "\(HumanUnits.rate($0)) transactions" }
                ?? "transactions are unknown: one connection keeps the exclusive lock"
        ]
        if let bytes = rollback.journalBytes {
            parts.append((rollback.isHot ? "hot journal " : "journal ") + HumanUnits.bytes(bytes))
        }
        lines.append("  " + parts.joined(separator: " · "))
    }

    private mutating func appendProcesses() {
        lines.append("")
        let ended = report.endedProcesses ?? 0
        let endedText = HumanUnits.counted(ended, "process", "processes")
        guard report.file.path != ":memory:" else { return }
        guard !report.processes.isEmpty else {
            lines.append(
                "no visible process uses the database"
                    + (ended > 0 ? " now; \(endedText) did, and ended" : "")
            )
            return
        }
        var rows = [["pid", "name", "user", "cpu", "write", "read", "checkpoint", "now"]]
        for process in report.processes.prefix(Self.limit) {
            rows.append([
                String(process.pid), process.name, process.user ?? "",
                process.processorShare.map(HumanUnits.percent) ?? "",
                Self.share(process.share.writer), Self.share(process.share.reader),
                Self.share(process.share.checkpoint), Self.currentState(process),
            ])
        }
        lines += Self.table(rows)
        appendMore(report.processes.count - Self.limit)
        if ended > 0 { lines.append("and \(endedText) that ended") }
    }

    private mutating func appendMore(_ count: Int) {
        if count > 0 { lines.append("and \(count) more") }
    }

    private mutating func appendPins() {
        guard !report.pins.isEmpty else { return }
        lines.append("")
        var rows = [["pinned by", "mark", "frame", "frames", "bytes", "for at least"]]
        for pin in report.pins.prefix(Self.limit) {
            rows.append([
                "\(pin.name) (\(pin.pid))", String(pin.mark), HumanUnits.exact(pin.frame),
                HumanUnits.exact(pin.frames), HumanUnits.bytes(pin.bytes),
                HumanUnits.duration(seconds: pin.seconds),
            ])
        }
        lines += Self.table(rows)
        appendMore(report.pins.count - Self.limit)
    }

    private mutating func appendTables() {
        guard let coverage = report.tablesCoverage, coverage.framesRead > 0 else { return }
        lines.append("")
        var rows = [["table or index", "kind", "share", "frames"]]
        for table in report.tables.prefix(Self.limit) {
            rows.append([
                table.name.isEmpty
                    ? (table.kind == .schema ? "(header, schema)" : "–") : table.name,
                table.kind.rawValue,
                HumanUnits.percent(table.share), HumanUnits.exact(table.frames),
            ])
        }
        lines += Self.table(rows)
        appendMore(report.tables.count - Self.limit)
        if coverage.readShare < 0.999 {
            // Rounding must not show a partial share as 100%.
            let share = HumanUnits.percent(min(coverage.readShare, 0.99))
            lines.append("\(share) of the written frames were examined")
        }
    }

    private mutating func appendEpisodes() {
        guard !report.episodes.isEmpty else { return }
        lines.append("")
        var rows = [["episode", "process", "start", "duration", "probably waiting"]]
        for episode in report.episodes.prefix(Self.episodeLimit) {
            rows.append([
                episode.kind.rawValue, "\(episode.name) (\(episode.pid))", episode.start.text,
                (episode.isContinuous == false ? "~ " : "")
                    + HumanUnits.duration(seconds: episode.seconds)
                    + (episode.end == nil ? ", ongoing" : ""),
                episode.waiters.prefix(4).map { "\($0.name) (\($0.pid))" }
                    .joined(separator: ", "),
            ])
        }
        lines += Self.table(rows)
        appendMore(report.episodes.count - Self.episodeLimit)
    }

    private mutating func appendFindings() {
        lines.append("")
        for finding in report.findings.isEmpty ? [report.verdict] : report.findings {
            appendWrapped(finding.text, first: finding.level.mark + " ", rest: "  ")
            if let remedy = finding.remedy { appendWrapped(remedy, first: "  → ", rest: "    ") }
        }
        lines.append("")
    }

    // MARK: Words

    private static func words(_ state: WatchedFile.State) -> String {
        switch state {
        case .present: "present"
        case .empty: "empty: no transaction has written to it"
        case .missing: "missing"
        case .notADatabase: "not an SQLite database"
        case .unreadable: "unreadable"
        }
    }

    private static func share(_ estimate: WatchedEstimate) -> String {
        guard estimate.value > 0 else { return "–" }
        let error = HumanUnits.number(estimate.error * 100)
        return "\(HumanUnits.number(estimate.value * 100)) ± \(error)%"
    }

    private static func currentState(_ process: WatchedProcess) -> String {
        var parts = process.locks.map { lock in
            var text = lock.kind.rawValue
            if let mark = lock.mark { text += " mark \(mark)" }
            if let frame = lock.frame, lock.mark != 0 {
                text += " frame \(HumanUnits.exact(frame))"
            }
            if lock.seconds > 0 {
                let sign = lock.isContinuous ? "≥ " : "~ "
                text += " \(sign)\(HumanUnits.duration(seconds: lock.seconds))"
            }
            return text
        }
        if process.waiting?.isWaiting == true { parts.append("probably waiting") }
        return parts.isEmpty ? "idle" : parts.joined(separator: ", ")
    }

    // MARK: Layout

    /// Aligns the columns of rows.
    ///
    /// The text in the last column is not padded.
    package static func table(_ rows: [[String]]) -> [String] {
        let escaped = rows.map { $0.map(Escaping.terminal) }
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

    /// Appends the parts of a line, breaking an overlong line between parts.
    private mutating func appendParts(_ parts: [String]) {
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

    private mutating func appendWrapped(_ text: String, first: String, rest: String) {
        lines += Paragraph.lines(text, first: first, rest: rest, width: Self.width)
    }
}

extension WatchedFile {
    /// The size of a page and a remark, such as ` of 4.0 KiB (with the log)`, or an empty string.
    package var pageSizeText: String {
        guard let pageSize, let pages else { return "" }
        let isPartlyInLog = bytes.map { Double(pages) * Double(pageSize) > Double($0) } ?? false
        return " of \(HumanUnits.bytes(UInt64(clamping: pageSize)))"
            + (isPartlyInLog && journalMode == .wal ? " (with the log)" : "")
    }
}

/// A list of databases, busiest first.
public struct WatchedDatabaseList: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.databases/1"

    /// One database.
    public struct Entry: Sendable, Codable, Equatable {
        /// A process that uses the database.
        public struct Process: Sendable, Codable, Equatable {
            /// The process ID.
            public var pid: Int32
            /// The name of the process.
            public var name: String
        }

        /// The path of the database.
        ///
        /// In a container, it is `/proc/PID/root` and the path there.
        public var path: String
        /// The container, if it is known.
        public var container: ProcessContainer?
        /// The state of the file.
        public var state: WatchedFile.State
        /// The journal mode.
        public var journalMode: WatchedFile.JournalMode?
        /// The processes that use the database.
        public var processes: [Process]
        /// The number of commits or rollback-journal transactions per second, or `nil` if unknown.
        public var commitsPerSecond: Double?
        /// The total processor time of these processes, as a share of one core.
        public var processorShare: Double
        /// The size of the `-wal` file, in bytes.
        public var walBytes: UInt64?
        /// The most important finding.
        public var verdict: Finding
    }

    /// The name and version of the format, ``currentSchema``.
    public var schema = WatchedDatabaseList.currentSchema
    /// The databases, sorted by commit rate and then by processor time, in descending order.
    public var databases: [Entry]
    /// The limitations of the list, with remedies.
    public var notes: [String]

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - reports: A report on each database.
    ///   - notes: The limitations of the search for databases.
    public init(reports: [WatchReport], notes: [String] = []) {
        databases = reports.map(Entry.init).sorted { first, second in
            (first.commitsPerSecond ?? 0, first.processorShare, second.path)
                > (second.commitsPerSecond ?? 0, second.processorShare, first.path)
        }
        self.notes = notes
        for note in reports.flatMap(\.notes) where !self.notes.contains(note) {
            self.notes.append(note)
        }
    }

    /// Returns the list as indented JSON with escaped control characters and a newline at the end.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(self), as: UTF8.self)
        return Escaping.encodedJSON(text, keepingNewlines: true) + "\n"
    }

    /// The list as a table with escaped control characters and a newline at the end.
    public var text: String {
        var rows = [["writes", "CPU", "log", "mode", "processes", "database"]]
        for database in databases {
            let processes = database.processes.prefix(3).map { "\($0.name) (\($0.pid))" }
            let more = database.processes.count - processes.count
            rows.append([
                database.commitsPerSecond.map(HumanUnits.rate) ?? "?",
                HumanUnits.percent(database.processorShare),
                database.walBytes.map(HumanUnits.bytes) ?? "–",
                database.journalMode?.rawValue ?? database.state.rawValue,
                processes.isEmpty
                    ? "none" : processes.joined(separator: ", ") + (more > 0 ? ", +\(more)" : ""),
                FilePath.shown(database.path),
            ])
        }
        var lines = databases.isEmpty ? ["no SQLite database is open"] : WatchText.table(rows)
        // A list has no room for all findings, but data must not be lost silently.
        for database in databases where [.alarm, .warning].contains(database.verdict.level) {
            let verdict = database.verdict
            let path = FilePath.shown(database.path)
            let text = Escaping.terminal("\(path): \(verdict.text)")
            lines += Paragraph.lines(text, first: verdict.level.mark + " ", rest: "  ")
        }
        lines += notes.map { "note: " + Escaping.terminal($0) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension WatchedDatabaseList.Entry {
    fileprivate init(_ report: WatchReport) {
        path = report.file.path
        #if os(Linux)
        container = FilePath.Rooted(path).flatMap { ProcessContainer(of: $0.process) }
        #endif
        state = report.file.state
        journalMode = report.file.journalMode
        processes = report.processes.map { Process(pid: $0.pid, name: $0.name) }
        commitsPerSecond =
            report.wal?.commitsPerSecond ?? report.rollback?.transactionsPerSecond
        processorShare = report.processes.reduce(0) { $0 + ($1.processorShare ?? 0) }
        walBytes = report.wal?.bytes
        verdict = report.verdict
    }
}
