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
    /// Whether the parent of the process has ended and the process is not a service, or `nil` if
    /// unknown.
    public var isOrphan: Bool?
    /// The share of checks, from 0 to 1, in which a thread of the process waited for the disk while
    /// the process held a write lock, or `nil` if unknown.
    public var syncShare: Double?
    /// The open files of the process that are not the files that the path names now.
    public var strayFiles: [WatchedStrayFile]?
    /// A process with which the process shares the open file of a connection, because one of them
    /// inherited it from the other, or `nil`.
    public var sharesConnectionWith: Int32?
    /// The number of descriptors of the database that SQLite did not open, or `nil` if unknown.
    public var otherDescriptors: Int?

    /// Whether the process holds a lock without which no other process can write.
    package var isHolder: Bool { locks.contains { $0.kind.isExclusive } }
}

extension WatchedProcess {
    /// Creates a description.
    public init(pid: Int32, name: String) {
        self.pid = pid
        self.name = name
        locks = []
        share = WatchedShare()
    }
}

/// An open file of a process that is not the file that the path names now.
public struct WatchedStrayFile: Sendable, Codable, Equatable {
    /// The part of the database.
    public enum Part: String, Sendable, Codable, Equatable, CaseIterable {
        /// The database file.
        case database
        /// The `-wal` file.
        case wal
        /// The `-shm` file.
        case index
        /// The `-journal` file.
        case journal

        /// The end of the file's name.
        package var suffix: String {
            switch self {
            case .database: ""
            case .wal: "-wal"
            case .index: "-shm"
            case .journal: "-journal"
            }
        }
    }

    /// The part of the database.
    public var part: Part
    /// The path of the file, as the system shows it to this program.
    public var path: String
    /// Whether the file has no name any more.
    public var isDeleted: Bool
    /// The time at which the file was deleted, or `nil` if unknown.
    public var deleted: WatchTime?

    /// Creates a description.
    public init(part: Part, path: String, isDeleted: Bool) {
        self.part = part
        self.path = path
        self.isDeleted = isDeleted
    }
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
    /// Whether it is proven that the lock was held continuously between samples: the process did
    /// not run, or marks and an open transaction show it.
    public var isContinuous: Bool
    /// Whether no thread of the process ran while the lock was held, or `nil` if unknown.
    public var isAsleep: Bool?
}

extension WatchedLock {
    /// Creates a description.
    public init(kind: LockKind, since: WatchTime, seconds: Double, isContinuous: Bool) {
        self.kind = kind
        self.since = since
        self.seconds = seconds
        self.isContinuous = isContinuous
    }
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
    /// The time since the first of the last checks that all found a waiting thread, in seconds, or
    /// `nil` if the process is not waiting.
    ///
    /// Between checks, the thread may have stopped waiting for a moment.
    public var seconds: Double?
    /// Always `true`, because waits are inferred from the stacks of sleeping threads.
    public var isInferred = true

    /// Creates a description.
    public init(isWaiting: Bool, share: Double) {
        self.isWaiting = isWaiting
        self.share = share
    }
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

    /// Creates a description.
    public init(
        pid: Int32,
        name: String,
        mark: Int,
        frame: UInt64,
        frames: UInt64,
        bytes: UInt64,
        since: WatchTime,
        seconds: Double
    ) {
        self.pid = pid
        self.name = name
        self.mark = mark
        self.frame = frame
        self.frames = frames
        self.bytes = bytes
        self.since = since
        self.seconds = seconds
    }
}

/// A kind of SQLite lock.
public enum LockKind: String, Sendable, Codable, Equatable, CaseIterable {
    /// Permits one process to write to the log in WAL mode.
    case writer
    /// Permits reading a snapshot of the database in WAL mode, at a read mark.
    case reader
    /// Permits copying the log to the database in WAL mode.
    case checkpoint
    /// Permits rebuilding the wal-index in WAL mode.
    case recovery
    /// Permits reading the database in rollback mode.
    case shared
    /// Permits preparing changes in memory in rollback mode, while other connections read.
    case reserved
    /// Blocks new readers in rollback mode, while a writer waits for existing readers to finish.
    case pending
    /// Permits writing in rollback mode, or indicates exclusive locking mode in WAL mode.
    case exclusive

    /// Whether no other process can write while a process holds the lock.
    package var isExclusive: Bool {
        self == .writer || self == .reserved || self == .pending || self == .exclusive
    }
}
