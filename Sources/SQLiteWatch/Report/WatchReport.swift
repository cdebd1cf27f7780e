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
    public var verdict: WatchVerdict
    /// All unusual findings, most important first.
    public var findings: [WatchVerdict]
    /// The limitations of this report, with remedies.
    public var notes: [String]
    /// The statements of traced programs, or `nil` if SQL is not traced.
    public var statements: [WatchedStatement]?
    /// The transactions of traced programs: all open ones, followed by the longest completed ones.
    public var transactions: [WatchedTransaction]?
    /// The current statement of each traced process.
    public var current: [WatchedCurrentStatement]?
    /// The lock waits of traced programs, most recent first.
    public var blocked: [WatchedBlock]?
    /// Details about SQL tracing.
    public var tracing: WatchedTracing?
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
}

/// A database file.
public struct WatchedFile: Sendable, Codable, Equatable {
    /// The state of the file.
    public enum State: String, Sendable, Codable, Equatable {
        /// The database can be read.
        case present
        /// The file is empty, because no transaction has written to it.
        case empty
        /// No file exists at this path.
        case missing
        /// The file is not an SQLite database or is encrypted.
        case notADatabase
        /// This user cannot read the file, or the file system does not respond.
        case unreadable
    }

    /// The mechanism that makes transactions atomic.
    public enum JournalMode: String, Sendable, Codable, Equatable {
        /// A write-ahead log.
        case wal
        /// A rollback journal: `delete`, `truncate`, `persist`, `memory`, or `off`.
        ///
        /// The file does not record which of these modes is in use.
        case rollback
    }

    /// The path of the file.
    public var path: String
    /// The state of the file.
    public var state: State
    /// The reason why the file cannot be read, with a remedy.
    public var problem: String?
    /// The size of the file, in bytes.
    public var bytes: UInt64?
    /// The number of pages in the database, including pages that are only in the log.
    public var pages: UInt64?
    /// The number of free pages, as of the last checkpoint.
    public var freePages: UInt64?
    /// The page size, in bytes.
    public var pageSize: Int?
    /// The journal mode.
    public var journalMode: JournalMode?
    /// The auto-vacuum mode.
    public var autoVacuum: AutoVacuum?
    /// The text encoding.
    public var encoding: TextEncodingName?
    /// The value of `PRAGMA application_id`.
    public var applicationID: UInt32?
    /// The value of `PRAGMA user_version`.
    public var userVersion: Int32?
    /// The file system that contains the file.
    public var fileSystem: FileSystemStatus?
}

/// A process that uses a database.
///
/// All connections of a process appear as one entry, because the system lists locks by process.
public struct WatchedProcess: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the program, truncated to 15 bytes, with the script's name for an interpreter.
    public var name: String
    /// The user of the process.
    public var user: String?
    /// The program and its arguments.
    public var commandLine: String?
    /// The processor time in the interval, as a share of one core.
    public var processorShare: Double?
    /// The locks that the process held at the last sample.
    public var locks: [WatchedLock]
    /// The share of the interval during which the process held each kind of lock.
    public var share: WatchedShare
    /// The lock waits of the process, or `nil` if unknown.
    public var waiting: WatchedWait?
}

/// A lock that a process holds.
public struct WatchedLock: Sendable, Codable, Equatable {
    /// The kind of the lock.
    public var kind: LockKind
    /// The read mark of a reader in WAL mode.
    public var mark: Int?
    /// The last frame of the reader's snapshot, or 0 if the reader uses only the database file.
    public var frame: UInt64?
    /// The time since which all samples have shown the lock.
    public var since: WatchTime
    /// A lower bound on the time that the lock has been held, in seconds.
    public var seconds: Double
    /// Whether commits and marks prove that the lock was held continuously between samples.
    public var isContinuous: Bool
}

/// The share of an interval, from 0 to 1, during which a process held locks.
public struct WatchedShare: Sendable, Codable, Equatable {
    /// Write locks: ``LockKind/writer``, ``LockKind/reserved``, ``LockKind/pending``, or
    /// ``LockKind/exclusive``.
    public var writer = WatchedEstimate()
    /// Read locks: ``LockKind/reader`` or ``LockKind/shared``.
    public var reader = WatchedEstimate()
    /// The checkpoint lock.
    public var checkpoint = WatchedEstimate()

    /// Creates shares of zero.
    public init() {}
}

/// A share estimated from samples.
public struct WatchedEstimate: Sendable, Codable, Equatable {
    /// The share of samples, from 0 to 1.
    public var value: Double = 0
    /// The standard error of the estimate, from 0 to 1.
    public var error: Double = 0

    /// Creates an estimate.
    public init(value: Double = 0, error: Double = 0) {
        self.value = value
        self.error = error
    }
}

/// The probable lock waits of a process.
public struct WatchedWait: Sendable, Codable, Equatable {
    /// Whether a thread waited at the last check.
    public var isWaiting: Bool
    /// The share of checks, from 0 to 1, in which a thread waited while other processes held locks.
    public var share: Double
    /// Always `true`, because waits are inferred from the stacks of sleeping threads.
    public var isInferred = true
}

/// A reader that pins frames in the log.
public struct WatchedPin: Sendable, Codable, Equatable {
    /// The process ID.
    public var pid: Int32
    /// The name of the process.
    public var name: String
    /// The read mark.
    public var mark: Int
    /// The last frame of the reader's snapshot, or 0 if the reader uses only the database file.
    public var frame: UInt64
    /// The number of frames that no checkpoint can copy until this read ends.
    public var frames: UInt64
    /// The size of these frames in the log, in bytes.
    public var bytes: UInt64
    /// The time since which all samples have shown the pin.
    public var since: WatchTime
    /// A lower bound on the age of the pin, in seconds.
    public var seconds: Double
}
