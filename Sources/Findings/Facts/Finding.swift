import Telemetry
import Text

/// An unusual finding, or a statement that nothing unusual was observed.
public struct Finding: Sendable, Codable, Equatable {
    /// The kind of a finding.
    public enum Kind: String, Sendable, Codable, Equatable {
        /// The database cannot be read.
        case unavailable
        /// A crash left a rollback journal, which the next reader rolls back.
        case hotJournal
        /// One process excludes all other processes, either in exclusive locking mode or during a
        /// long write.
        case exclusive
        /// A process has held the write lock for a long time, or other processes are waiting for
        /// the lock.
        case longWriter
        /// A checkpoint waits for readers or a writer.
        case checkpointWaits
        /// A reader with an old snapshot pins frames in the log.
        case pinned
        /// Readers overlap continuously, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// The backlog is large, but no checkpoint copies frames to the database file.
        case noCheckpoint
        /// The log is large, but nothing prevents its reuse.
        case largeNotPinned
        /// The log remains, but no process uses the database.
        case leftoverWAL
        /// A process uses a file that the path does not name any more.
        case strayFile
        /// Connections of one process wait for each other.
        case selfWait
        /// Statements fail because their transaction read before it wrote.
        case upgrade
        /// Statements fail because the busy timeout is too short, or because there is none.
        case busy
        /// Statements fail for another reason.
        case failures
        /// A statement runs for a long time.
        case longStatement
        /// A transaction waits between its statements.
        case idleTransaction
        /// A statement reads or sorts many rows for each result.
        case slowStatement
        /// One statement is repeated for each row of another one.
        case repeated
        /// Each of many transactions changes only a few rows.
        case smallTransactions
        /// A statement passes many rows of a whole table.
        case fullScan
        /// A statement builds an index in each run.
        case automaticIndex
        /// A statement is prepared again for each run.
        case prepared
        /// A pragma was executed without an error, but is not in force.
        case inactivePragma
        /// The settings of a program's connections differ.
        case settings
        /// A connection has no busy timeout, although several processes use the database.
        case noTimeout
        /// Caches may use a large part of the memory.
        case cacheMemory
        /// A process has the database open in two copies of SQLite.
        case twoCopies
        /// Several connections write in WAL mode with a version that can corrupt the database.
        case resetBug
        /// Programs that are not visible here use the database.
        case hiddenUsers
        /// The locks of the programs cannot be seen.
        case hiddenLocks
        /// A process uses a connection that it inherited.
        case inheritedConnection
        /// A process has descriptors of the database that SQLite did not open.
        case otherDescriptors
        /// The parents of processes have ended.
        case orphans
        /// Nothing unusual was observed.
        case nothing
    }

    /// The severity of a finding.
    public enum Level: String, Sendable, Codable, Equatable, CaseIterable {
        /// Data is being lost, or the database cannot be read.
        case alarm
        /// Accesses fail or wait.
        case warning
        /// A fact that explains others, or a risk.
        case note
        /// Nothing unusual.
        case nothing

        /// The mark in texts.
        package var mark: String {
            switch self {
            case .alarm: "✖"
            case .warning: "▲"
            case .note: "•"
            case .nothing: "✔"
            }
        }
    }

    /// The kind of the finding.
    public var kind: Kind
    /// The severity.
    public var level: Level
    /// The cause of a log that does not shrink, as defined by ``Telemetry/WALPin``.
    public var cause: WALPin.Cause?
    /// The process ID of the responsible process.
    public var pid: Int32?
    /// A description of the finding, in one or two sentences.
    public var text: String
    /// The remedy.
    public var remedy: String?

    /// Returns findings by level, most severe first, in their order otherwise.
    static func bySeverity(_ findings: [Finding]) -> [Finding] {
        Level.allCases.flatMap { level in findings.filter { $0.level == level } }
    }

    /// Creates a finding.
    package init(
        _ kind: Kind,
        level: Level = .warning,
        cause: WALPin.Cause? = nil,
        pid: Int32? = nil,
        _ text: String,
        remedy: String? = nil
    ) {
        self.kind = kind
        self.level = kind == .nothing ? Level.nothing : level
        self.cause = cause
        self.pid = pid
        self.text = text
        self.remedy = remedy
    }
}

extension Finding {
    /// Decodes a finding; recordings of version 0.2.0 contain no level.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(Kind.self, forKey: .kind)
        let level: Level = [.unavailable, .hotJournal].contains(kind) ? .alarm : .warning
        try self.init(
            kind,
            level: container.decodeIfPresent(Level.self, forKey: .level) ?? level,
            cause: container.decodeIfPresent(WALPin.Cause.self, forKey: .cause),
            pid: container.decodeIfPresent(Int32.self, forKey: .pid),
            container.decode(String.self, forKey: .text),
            remedy: container.decodeIfPresent(String.self, forKey: .remedy)
        )
    }
}

/// A report and what several rules derive from it.
struct FindingFacts {
    let report: WatchReport
    /// The processes whose influence on others an earlier rule has explained.
    var explained: Set<Int32> = []

    private let names: [Int32: String]

    /// The minimum age of a lock for a finding, in seconds.
    static let minimumAge = 1.0
    /// The minimum age while others probably wait, in seconds.
    static let minimumAgeWithWaiters = 0.1
    /// The share of a core below which a process is considered idle.
    static let idleShare = 0.02
    /// The share of a core above which a process is considered busy.
    static let busyShare = 0.25

    init(_ report: WatchReport) {
        self.report = report
        var names: [Int32: String] = [:]
        for block in report.blocked ?? [] {
            if let name = block.name { names[block.pid] = name }
            if let by = block.by, let name = by.name { names[by.pid] = name }
        }
        for transaction in report.transactions ?? [] {
            if let name = transaction.name { names[transaction.pid] = name }
        }
        for episode in report.episodes { names[episode.pid] = episode.name }
        for process in report.processes { names[process.pid] = process.name }
        self.names = names
    }

    /// Returns a process's name and ID, such as `python3 report.py (812)`.
    func name(_ process: Int32) -> String {
        names[process].map { "\($0) (\(process))" } ?? "process \(process)"
    }

    /// Returns the names of up to three processes.
    func names(_ processes: some Sequence<Int32>) -> String {
        let all = Array(Set(processes)).sorted()
        let shown = all.prefix(3).map(name).joined(separator: ", ")
        return shown + (all.count > 3 ? " and \(all.count - 3) more" : "")
    }

    func process(_ pid: Int32) -> WatchedProcess? { report.processes.first { $0.pid == pid } }

    /// The processes that were waiting at the last check.
    var waiting: [Int32] {
        report.processes.filter { $0.waiting?.isWaiting == true }.map(\.pid)
    }

    /// The open transaction of a process that has written, or `nil` if it is unknown.
    func writeTransaction(of process: Int32) -> WatchedTransaction? {
        report.transactions?.first { $0.open && $0.writes && $0.pid == process }
    }

    /// Returns a blocker with what its transaction did until its end, if the trace saw it.
    ///
    /// A wait can fail before the blocking transaction ends.
    func completed(_ blocker: WatchedBlock.Blocker?) -> WatchedBlock.Blocker? {
        guard var by = blocker else { return nil }
        guard let open = by.transactionSeconds else { return withLongestTransaction(by) }
        guard by.gapBefore == nil, let after = by.gapAfter else { return by }
        let whole = report.transactions?.filter { transaction in
            transaction.pid == by.pid && transaction.gapAfter == after
                && transaction.seconds >= open
        }.max { $0.longestGapSeconds < $1.longestGapSeconds }
        guard let whole else { return by }
        by.transactionSeconds = whole.seconds
        by.longestGapSeconds = whole.longestGapSeconds
        by.gapBefore = whole.gapBefore
        return by
    }

    /// Returns a lock holder whose transaction is not known with its process's longest one.
    private func withLongestTransaction(_ blocker: WatchedBlock.Blocker) -> WatchedBlock.Blocker {
        let longest = (report.transactions ?? []).filter { $0.pid == blocker.pid && $0.writes }
            .max { $0.longestGapSeconds < $1.longestGapSeconds }
        guard let longest else { return blocker }
        var by = blocker
        by.isInferred = true
        by.transactionSeconds = longest.seconds
        by.longestGapSeconds = longest.longestGapSeconds
        by.gapAfter = longest.gapAfter
        by.gapBefore = longest.gapBefore
        by.sql = longest.sql
        return by
    }

    /// The statement that a process is executing, or `nil` if it is unknown.
    func runningStatement(of process: Int32) -> WatchedCurrentStatement? {
        report.current?.first { $0.pid == process && $0.isRunning }
    }

    /// Returns how long a statement has been running, such as `at least 4.5 s`.
    static func duration(of statement: WatchedCurrentStatement) -> String {
        (statement.isLowerBound == true ? "at least " : "") + duration(statement.seconds)
    }

    static func duration(_ seconds: Double) -> String { HumanUnits.duration(seconds: seconds) }

    /// Returns a statement in backquotes, shortened to fit in a sentence.
    static func quoted(_ sql: String, limit: Int = 80) -> String {
        "`" + (sql.count <= limit ? sql : String(sql.prefix(limit - 1)) + "…") + "`"
    }

    /// Returns a share of a number of executions, such as `30 of 40 executions`.
    static func share(_ part: UInt64, of all: UInt64) -> String {
        "\(HumanUnits.exact(part)) of \(HumanUnits.exact(all, "execution"))"
    }
}
