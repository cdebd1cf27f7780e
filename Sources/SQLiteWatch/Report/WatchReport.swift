/// What was seen of one database, from outside, in one interval.
public struct WatchReport: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.watch/1"

    /// ``currentSchema``.
    public var schema = WatchReport.currentSchema
    /// When the report was made.
    public var time: WatchTime
    /// The interval that rates and shares refer to.
    public var window: WatchWindow
    /// The database file.
    public var file: WatchedFile
    /// The processes that use it, those that hold locks first.
    public var processes: [WatchedProcess]
    /// The readers that keep frames in the log, the one that keeps most first.
    public var pins: [WatchedPin]
    /// The log; nil when the database is not in WAL mode.
    public var wal: WatchedWAL?
    /// Transactions of a rollback journal; nil in WAL mode.
    public var rollback: WatchedRollback?
    /// The frames of the log by table and index, the one with most frames first.
    public var tables: [WatchedTable]
    /// How much of the written frames the tables explain; nil when they are not read.
    public var tablesCoverage: WatchedCoverage?
    /// Periods in which a process was in the way of others, the latest first.
    public var episodes: [WatchEpisode]
    /// What matters most.
    public var verdict: WatchVerdict
    /// All that is unusual, what matters most first.
    public var findings: [WatchVerdict]
    /// What this report cannot show, and how to see it.
    public var notes: [String]
    /// The statements of traced programs; nil unless SQL is traced.
    public var statements: [WatchedStatement]?
    /// Their transactions: all open ones, then the longest.
    public var transactions: [WatchedTransaction]?
    /// The statement of each of their processes.
    public var current: [WatchedCurrentStatement]?
    /// Their waits for locks, the latest first.
    public var blocked: [WatchedBlock]?
    /// How statements were traced.
    public var tracing: WatchedTracing?
}

/// The interval of a report.
public struct WatchWindow: Sendable, Codable, Equatable {
    /// Its length.
    public var seconds: Double
    /// How often the locks that exclude others were read in it.
    public var samples: Int
    /// Samples per second, on average; their moments are random.
    public var samplesPerSecond: Double
    /// How often the locks of readers were read: less often than ``samples`` where many processes
    /// use the database.
    public var listSamples: Int
    /// Processor time of this program and its helper, as a share of one core.
    public var processorShare: Double
}

/// A database file.
public struct WatchedFile: Sendable, Codable, Equatable {
    /// Whether there is a database.
    public enum State: String, Sendable, Codable, Equatable {
        /// It can be read.
        case present
        /// It has no content: no transaction has written to it.
        case empty
        /// No file has this name.
        case missing
        /// The file is no SQLite database, or an encrypted one.
        case notADatabase
        /// This user may not read it, or the file system does not answer.
        case unreadable
    }

    /// How transactions are made atomic.
    public enum JournalMode: String, Sendable, Codable, Equatable {
        /// With a write-ahead log.
        case wal
        /// With a rollback journal: `delete`, `truncate`, `persist`, `memory` or `off`, which the
        /// file does not record.
        case rollback
    }

    /// The path.
    public var path: String
    /// Whether there is a database.
    public var state: State
    /// Why it cannot be read, and what to do.
    public var problem: String?
    /// The size of the file, in bytes.
    public var bytes: UInt64?
    /// Pages of the database, with the log's.
    public var pages: UInt64?
    /// Pages that hold nothing, as of the last checkpoint.
    public var freePages: UInt64?
    /// Bytes in a page.
    public var pageSize: Int?
    /// How transactions are made atomic.
    public var journalMode: JournalMode?
    /// What happens to pages that become free.
    public var autoVacuum: AutoVacuum?
    /// The encoding of texts.
    public var encoding: TextEncodingName?
    /// `PRAGMA application_id`.
    public var applicationID: UInt32?
    /// `PRAGMA user_version`.
    public var userVersion: Int32?
    /// The file system that contains it.
    public var fileSystem: FileSystemStatus?
}

/// A process that uses a database.
///
/// A process is one line, whatever the number of its connections: the system lists locks by
/// process.
public struct WatchedProcess: Sendable, Codable, Equatable {
    /// Its number.
    public var pid: Int32
    /// The name of its program, at most 15 bytes.
    public var name: String
    /// Its user.
    public var user: String?
    /// The program and its arguments.
    public var commandLine: String?
    /// Its processor time in the interval, as a share of one core.
    public var processorShare: Double?
    /// The locks that it held at the last sample.
    public var locks: [WatchedLock]
    /// How much of the interval it held locks.
    public var share: WatchedShare
    /// Whether a thread waits in SQLite's busy handler; nil when that cannot be known.
    public var waiting: WatchedWait?
}

/// A lock that a process holds.
public struct WatchedLock: Sendable, Codable, Equatable {
    /// What it permits.
    public var kind: LockKind
    /// The read mark of a reader in WAL mode.
    public var mark: Int?
    /// The last frame that belongs to the state that it reads; 0 for the database file alone.
    public var frame: UInt64?
    /// The first of the samples in a row in which it was held: it was acquired before.
    public var since: WatchTime
    /// How long it has been held, in seconds: at least so long.
    public var seconds: Double
    /// Whether it was certainly not released between two samples, as far as commits and marks show.
    public var isContinuous: Bool
}

/// The share of an interval, from 0 to 1, for which a process held locks.
public struct WatchedShare: Sendable, Codable, Equatable {
    /// To write: ``LockKind/writer``, ``LockKind/reserved``, ``LockKind/pending`` or
    /// ``LockKind/exclusive``.
    public var writer = WatchedEstimate()
    /// To read: ``LockKind/reader`` or ``LockKind/shared``.
    public var reader = WatchedEstimate()
    /// To checkpoint.
    public var checkpoint = WatchedEstimate()

    /// Creates shares of zero.
    public init() {}
}

/// A share that samples estimate.
public struct WatchedEstimate: Sendable, Codable, Equatable {
    /// The share of samples, from 0 to 1.
    public var value: Double = 0
    /// The standard error of sampling, from 0 to 1.
    public var error: Double = 0

    /// Creates an estimate.
    public init(value: Double = 0, error: Double = 0) {
        self.value = value
        self.error = error
    }
}

/// A process that probably waits for a lock.
public struct WatchedWait: Sendable, Codable, Equatable {
    /// Whether a thread waited when the process was last looked at.
    public var isWaiting: Bool
    /// The share of looks, from 0 to 1, at which a thread waited while others held locks.
    public var share: Double
    /// Always true: it is inferred from the stacks of sleeping threads.
    public var isInferred = true
}

/// A reader that keeps frames in the log.
public struct WatchedPin: Sendable, Codable, Equatable {
    /// The process.
    public var pid: Int32
    /// Its name.
    public var name: String
    /// The read mark.
    public var mark: Int
    /// The last frame that belongs to the state that it reads; 0 for the database file alone.
    public var frame: UInt64
    /// The frames that no checkpoint can copy while it reads.
    public var frames: UInt64
    /// Their size in the log, in bytes.
    public var bytes: UInt64
    /// The first of the samples in a row that show it.
    public var since: WatchTime
    /// How long it has pinned them, in seconds: at least so long.
    public var seconds: Double
}
