import Findings
import Foundation
import Text

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
