import Foundation

/// An observation of one database over one interval, from outside the processes that use it.
public struct WatchReport: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.watch/1"

    /// The name and version of the format, ``currentSchema``.
    public var schema = WatchReport.currentSchema
    /// The time of the report.
    public var time: WatchTime
    /// The interval to which the rates and shares apply.
    public var window: WatchWindow
    /// The database file.
    public var file: WatchedFile
    /// The processes that use the database, lock holders first.
    public var processes: [WatchedProcess]
    /// The readers that pin frames in the log, sorted by number of frames in descending order.
    public var pins: [WatchedPin]
    /// The log, or `nil` if the database is not in WAL mode.
    public var wal: WatchedWAL?
    /// The transactions of a rollback journal, or `nil` in WAL mode.
    public var rollback: WatchedRollback?
    /// The frames of the log by table and index, sorted by number in descending order.
    public var tables: [WatchedTable]
    /// The proportion of written frames that ``tables`` covers, or `nil` if frames are not read.
    public var tablesCoverage: WatchedCoverage?
    /// The periods in which a process blocked other processes or pinned the log, most recent first.
    public var episodes: [WatchEpisode]
    /// The most important finding, or a statement that nothing unusual was observed.
    public var verdict: Finding
    /// All unusual findings, most important first.
    public var findings: [Finding]
    /// The limitations of this report, with remedies.
    public var notes: [String]
    /// Whether a process that is not visible here holds a lock, or `nil` if unknown.
    public var hasHiddenHolder: Bool?
    /// The number of processes whose open files this user cannot list, or `nil` if unknown.
    public var hiddenProcesses: Int?
    /// The number of processes that used the database in the interval and have ended, or `nil` if
    /// unknown.
    public var endedProcesses: Int?
    /// The statements of traced programs, or `nil` if SQL is not traced.
    public var statements: [WatchedStatement]?
    /// The transactions of traced programs: all open ones, followed by the longest completed ones.
    public var transactions: [WatchedTransaction]?
    /// The current statement of each traced process.
    public var current: [WatchedCurrentStatement]?
    /// The lock waits of traced programs, most recent first.
    public var blocked: [WatchedBlock]?
    /// The lock waits of traced programs, grouped, longest total time first.
    public var waits: [WatchedWaits]?
    /// The connections of traced programs, sorted by process, or `nil` if SQL is not traced.
    public var connections: [WatchedConnection]?
    /// The copies of SQLite that these connections use.
    public var copies: [WatchedCopy]?
    /// Details about SQL tracing.
    public var tracing: WatchedTracing?
}

extension WatchReport {
    /// Creates a report without SQL and without findings, which ``updateFindings()`` adds.
    package init(
        time: WatchTime,
        window: WatchWindow,
        file: WatchedFile,
        processes: [WatchedProcess],
        pins: [WatchedPin],
        tables: [WatchedTable],
        episodes: [WatchEpisode],
        notes: [String]
    ) {
        self.init(
            time: time,
            window: window,
            file: file,
            processes: processes,
            pins: pins,
            tables: tables,
            episodes: episodes,
            verdict: Finding(.nothing, ""),
            findings: [],
            notes: notes
        )
    }

    /// Corrects the ages of locks by the transactions that the trace saw.
    ///
    /// Samples show that a lock was held whenever they looked. The trace shows each transaction.
    package mutating func reconcileLocks() {
        guard let tracing, let transactions else { return }
        for index in processes.indices where tracing.pids.contains(processes[index].pid) {
            let pid = processes[index].pid
            let open = transactions.filter { $0.pid == pid && $0.open && $0.writes }
            let longest = transactions.filter { $0.pid == pid && $0.writes }.map(\.seconds).max()
            for lock in processes[index].locks.indices
            where processes[index].locks[lock].kind.isExclusive {
                let seconds = processes[index].locks[lock].seconds
                if let age = open.map(\.seconds).max() {
                    processes[index].locks[lock].seconds = min(seconds, age)
                    processes[index].locks[lock].isContinuous = age >= seconds || open.count == 1
                } else if !processes[index].locks[lock].isContinuous, let longest {
                    processes[index].locks[lock].seconds = min(seconds, longest)
                }
            }
        }
        // An episode that is longer than any transaction is a series of transactions.
        episodes.removeAll { episode in
            guard episode.isContinuous == false, episode.kind != .pin,
                tracing.pids.contains(episode.pid)
            else { return false }
            let longest = transactions.filter { $0.pid == episode.pid && $0.writes }
                .map(\.seconds).max()
            return longest.map { episode.seconds > 1.5 * $0 + 0.5 } ?? false
        }
    }

    /// Gives processes in the trace the names that they have in the list of processes.
    package mutating func useProcessNames() {
        let names = processes.reduce(into: [Int32: String]()) { $0[$1.pid] = $1.name }
        func named(_ block: WatchedBlock) -> WatchedBlock {
            var block = block
            block.name = names[block.pid] ?? block.name
            if let by = block.by { block.by?.name = names[by.pid] ?? by.name }
            return block
        }
        transactions = transactions?.map { transaction in
            var transaction = transaction
            transaction.name = names[transaction.pid] ?? transaction.name
            return transaction
        }
        connections = connections?.map { connection in
            var connection = connection
            connection.name = names[connection.pid] ?? connection.name
            return connection
        }
        copies = copies?.map { copy in
            var copy = copy
            copy.name = names[copy.pid] ?? copy.name
            return copy
        }
        blocked = blocked?.map(named)
        waits = waits?.map { group in
            var group = group
            group.longest = named(group.longest)
            return group
        }
    }

    /// The number of commits above which a process would have been seen.
    private static let visibleCommits: UInt64 = 3

    /// Whether the database changes although no process is visible that uses it.
    package var hasHiddenWriters: Bool {
        let commits = wal?.commits ?? rollback?.transactions ?? 0
        return processes.isEmpty && endedProcesses ?? 0 == 0 && commits >= Self.visibleCommits
    }
}

/// The interval of a report.
public struct WatchWindow: Sendable, Codable, Equatable {
    /// The length of the interval, in seconds.
    public var seconds: Double
    /// The number of samples of the exclusive locks.
    public var samples: Int
    /// The mean number of samples per second, taken at random times.
    public var samplesPerSecond: Double
    /// The number of samples of the readers' locks, which is less than ``samples`` if many
    /// processes use the database.
    public var listSamples: Int
    /// The processor time of this program and its helpers, as a share of one core.
    public var processorShare: Double

    /// Creates an interval.
    public init(
        seconds: Double,
        samples: Int,
        samplesPerSecond: Double,
        listSamples: Int,
        processorShare: Double
    ) {
        self.seconds = seconds
        self.samples = samples
        self.samplesPerSecond = samplesPerSecond
        self.listSamples = listSamples
        self.processorShare = processorShare
    }
}

/// A connection of a traced program that has executed a statement since tracing started.
public struct WatchedConnection: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The address of the connection in the process, as hexadecimal digits.
    public var connection: String
    /// The file with the copy of SQLite that the connection uses.
    public var library: String?
    /// The effective settings, which are all unknown if the program's memory cannot be read.
    public var settings: ConnectionSettings
    /// The last successful pragma for each setting that the connection was seen to execute.
    public var pragmas: [WatchedPragma]
    /// Whether the connection was seen to write.
    public var hasWritten: Bool
    /// The statement that a thread is executing on the connection, or `nil` if none is known.
    public var running: Running?

    /// A statement that a connection is executing.
    public struct Running: Sendable, Codable, Equatable {
        /// The statement, formatted like ``WatchedStatement/sql``.
        public var sql: String
        /// The time since its start, in seconds.
        public var seconds: Double
        /// Whether ``seconds`` is only a lower bound, because the statement began before the process
        /// was traced.
        public var isLowerBound: Bool?

        /// Creates a statement.
        public init(sql: String, seconds: Double, isLowerBound: Bool? = nil) {
            self.sql = sql
            self.seconds = seconds
            self.isLowerBound = isLowerBound
        }
    }

    /// Creates a connection.
    public init(pid: Int32, connection: String) {
        self.pid = pid
        self.connection = connection
        settings = ConnectionSettings()
        pragmas = []
        hasWritten = false
    }

    /// The size of the cache in bytes, or `nil` if it is unknown.
    func cacheBytes(pageSize: Int) -> Double? {
        settings.cacheSize.map { Double($0.magnitude) * ($0 < 0 ? 1_024 : Double(pageSize)) }
    }
}

/// A pragma that set a setting of a connection.
public struct WatchedPragma: Sendable, Codable, Equatable {
    /// The name in lowercase.
    public var name: String
    /// The value as the program wrote it.
    public var value: String
    /// Whether the setting has this value now, or `nil` if that is unknown.
    public var isActive: Bool?

    /// Creates a pragma.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A copy of SQLite in a traced process.
public struct WatchedCopy: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program.
    public var name: String?
    /// The file with the copy.
    public var library: String
    /// SQLite's version, such as `3.46.1`, or `nil` if it is unknown.
    public var version: String?
    /// The text that identifies SQLite's source, or `nil` if it is unknown.
    public var sourceID: String?
    /// The number of connections that have executed a statement since tracing started.
    public var connections: Int
    /// The number of times that the copy has the database file open, or `nil` if it is unknown.
    ///
    /// Connections with a shared cache share an open file.
    public var openFiles: Int?
    /// The memory that the process may use, in bytes: that of its control group, or that of the
    /// machine.
    public var memoryBytes: UInt64?

    /// Creates a description.
    public init(pid: Int32, library: String) {
        self.pid = pid
        self.library = library
        connections = 0
    }

    /// The number of open connections that have executed no statement since tracing started, or 0 if
    /// it is unknown.
    ///
    /// A damaged recording may contain any numbers.
    package var unseenConnections: Int {
        let most = 1 << 20
        return max(0, max(0, min(openFiles ?? 0, most)) - max(0, min(connections, most)))
    }
}

/// The frames of a log that belong to one table or index.
public struct WatchedTable: Sendable, Codable, Equatable {
    /// The use of a page.
    public enum Kind: String, Sendable, Codable, Equatable, CaseIterable {
        /// A page whose use is unknown.
        case unknown
        /// A table.
        case table
        /// An index.
        case index
        /// The schema.
        case schema
        /// The list of free pages.
        case free
        /// A page that maps pages to their parents, for auto-vacuum.
        case pointerMap
    }

    /// The name, or an empty string if the pages belong to neither a table nor an index.
    public var name: String
    /// The use of the pages.
    public var kind: Kind
    /// The share of the read frames, from 0 to 1.
    public var share: Double
    /// The number of frames.
    public var frames: UInt64

    /// Creates a count.
    public init(name: String, kind: Kind, share: Double, frames: UInt64) {
        self.name = name
        self.kind = kind
        self.share = share
        self.frames = frames
    }
}

/// The proportion of written frames that a list of tables covers.
public struct WatchedCoverage: Sendable, Codable, Equatable {
    /// The number of frames that were read in the interval.
    public var framesRead: UInt64
    /// The share of the frames written in the interval that were also read, from 0 to 1.
    public var readShare: Double
    /// The share of the read frames that belong to an unknown table, from 0 to 1.
    public var unknownShare: Double

    /// Creates a coverage.
    public init(framesRead: UInt64, readShare: Double, unknownShare: Double) {
        self.framesRead = framesRead
        self.readShare = readShare
        self.unknownShare = unknownShare
    }
}

/// A calendar time, encoded in JSON as a string such as `2026-11-22T08:54:23.250Z`.
public struct WatchTime: Sendable, Codable, Hashable, Comparable {
    /// The time since 1970, in milliseconds.
    public var milliseconds: Int64

    /// Creates a time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Returns whether the first time is earlier than the second.
    public static func < (left: WatchTime, right: WatchTime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time as ISO 8601 text in UTC.
    public var text: String {
        // Formatting a floating-point fraction may round to a different millisecond.
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let whole = Date(timeIntervalSince1970: Double(rest < 0 ? seconds - 1 : seconds))
        let digits = String(rest < 0 ? rest + 1000 : rest)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return whole.formatted(Date.ISO8601FormatStyle()).dropLast() + "." + fraction + "Z"
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Decodes ISO 8601 text.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let date = try Date(text, strategy: Self.style)
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Encodes ISO 8601 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
