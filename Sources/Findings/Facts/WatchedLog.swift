/// The write-ahead log of a database.
public struct WatchedWAL: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    ///
    /// This is not the backlog, because the file keeps its size when the log is reset.
    public var bytes: UInt64
    /// The number of frames in use, or `nil` if there is no wal-index.
    public var frames: UInt64?
    /// The number of frames that fit in the file.
    public var room: UInt64?
    /// The number of frames that checkpoints have already copied to the database file.
    public var backfilled: UInt64?
    /// The number of frames that readers pin in the log.
    public var pinned: UInt64?
    /// The page size, in bytes.
    ///
    /// A frame is 24 bytes longer than a page.
    public var pageSize: Int?
    /// The read marks, in frames, or `nil` for unused marks.
    ///
    /// A mark remains after its reader has ended.
    public var marks: [UInt64?]
    /// The number of commits in the interval that changed a page, or `nil` if there is no wal-index.
    ///
    /// A program in exclusive locking mode keeps the wal-index in its memory. Then the counts and
    /// rates below are unknown, too.
    public var commits: UInt64?
    /// The number of commits per second.
    public var commitsPerSecond: Double?
    /// The number of frames written in the interval, or a lower bound if the log was reset.
    public var framesWritten: UInt64?
    /// The number of frames written per second.
    public var framesPerSecond: Double?
    /// A lower bound on the number of checkpoints in the interval that copied frames.
    public var checkpoints: UInt64?
    /// The number of frames that these checkpoints copied.
    public var framesBackfilled: UInt64?
    /// The number of resets of the log in the interval.
    public var resets: UInt64?
    /// The number of frames that an open transaction has added to the file, or `nil` if unknown.
    public var uncommittedFrames: UInt64?
    /// The time since which a copied log could not be reset, because reads overlap, in seconds.
    public var overlapSeconds: Double?
    /// The number of frames written in ``overlapSeconds``.
    public var framesInOverlap: UInt64?
    /// The time since which a large backlog has not become smaller, in seconds.
    public var neglectedSeconds: Double?
}

extension WatchedWAL {
    /// Creates a description of a log without a wal-index.
    public init(bytes: UInt64) {
        self.bytes = bytes
        marks = []
    }
}

/// Transactions that use a rollback journal.
public struct WatchedRollback: Sendable, Codable, Equatable {
    /// The number of transactions in the interval, from the change counter, or `nil` if unknown.
    ///
    /// In exclusive locking mode, the counter changes only with the first transaction.
    public var transactions: UInt64?
    /// The number of transactions per second.
    public var transactionsPerSecond: Double?
    /// The size of the `-journal` file, in bytes, or `nil` if there is no journal.
    public var journalBytes: UInt64?
    /// Whether the journal belongs to the transaction of a terminated process.
    ///
    /// The next reader rolls back this transaction.
    public var isHot: Bool
    /// Whether the journal can restore the database, or `nil` if unknown.
    ///
    /// Between transactions, there is no such journal.
    public var hasValidJournal: Bool?

    /// Creates a description.
    public init(
        transactions: UInt64?,
        transactionsPerSecond: Double?,
        journalBytes: UInt64?,
        isHot: Bool
    ) {
        self.transactions = transactions
        self.transactionsPerSecond = transactionsPerSecond
        self.journalBytes = journalBytes
        self.isHot = isHot
    }
}

/// A period in which a process blocked other processes or pinned the log.
public struct WatchEpisode: Sendable, Codable, Equatable {
    /// The lock or mark that the process held.
    public enum Kind: String, Sendable, Codable, Equatable {
        /// The write lock.
        case writer
        /// The checkpoint lock.
        case checkpoint
        /// A read mark behind the end of the log.
        case pin
        /// A rollback-journal lock that excludes other connections, or exclusive locking mode.
        case exclusive
    }

    /// A process that probably waited.
    public struct Waiter: Sendable, Codable, Hashable {
        /// The process ID.
        public var pid: Int32
        /// The name of the process.
        public var name: String

        /// Creates a description.
        public init(pid: Int32, name: String) {
            self.pid = pid
            self.name = name
        }
    }

    /// The lock or mark that the process held.
    public var kind: Kind
    /// The process ID.
    public var pid: Int32
    /// The name of the process.
    public var name: String
    /// The time of the first sample that shows the episode.
    public var start: WatchTime
    /// The time of the first sample after the episode, or `nil` while it lasts.
    public var end: WatchTime?
    /// The duration so far, in seconds.
    public var seconds: Double
    /// The largest number of frames that the process pinned.
    public var frames: UInt64?
    /// The processes that probably waited during the episode.
    public var waiters: [Waiter]
    /// Whether it is proven that the lock was held continuously, or `nil` if unknown.
    public var isContinuous: Bool?
}

extension WatchEpisode {
    /// Creates an episode.
    public init(kind: Kind, pid: Int32, name: String, start: WatchTime, seconds: Double) {
        self.kind = kind
        self.pid = pid
        self.name = name
        self.start = start
        self.seconds = seconds
        waiters = []
    }
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
    /// The lock file of SQLite's `unix-dotfile` VFS next to the database, or `nil` if there is
    /// none.
    public var lockFile: String?
}

extension WatchedFile {
    /// Creates a description.
    public init(path: String, state: State) {
        self.path = path
        self.state = state
    }
}

/// The auto-vacuum mode, which determines what happens to free pages.
public enum AutoVacuum: String, Sendable, Codable, Equatable {
    /// Free pages stay in the file for reuse.
    case none
    /// Each commit returns free pages to the file system.
    case full
    /// `PRAGMA incremental_vacuum` returns free pages to the file system.
    case incremental
}

/// The text encoding of a database.
public enum TextEncodingName: String, Sendable, Codable, Equatable {
    /// UTF-8.
    case utf8 = "UTF-8"
    /// UTF-16, little-endian.
    case utf16LittleEndian = "UTF-16le"
    /// UTF-16, big-endian.
    case utf16BigEndian = "UTF-16be"

    /// Creates an encoding from the header's field.
    package init?(field: UInt32) {
        switch field {
        case 1: self = .utf8
        case 2: self = .utf16LittleEndian
        case 3: self = .utf16BigEndian
        default: return nil
        }
    }
}

/// The file system that contains a database.
public struct FileSystemStatus: Sendable, Codable, Equatable {
    /// The type, such as `ext4`, `nfs4`, or `fuse.sshfs`.
    public var type: String
    /// The limitations of the file system, or `nil` for a local file system.
    public var warning: String?

    /// Creates the status of a file system from its type.
    public init(type: String) {
        self.type = type
        let base = type.split(separator: ".").first.map(String.init) ?? type
        switch base {
        case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "afs", "lustre",
            "gpfs", "ocfs2", "gfs2", "virtiofs":
            warning =
                "\(type) is shared between machines: processes on other machines and their locks "
                + "are not visible here, and WAL mode does not work across machines "
                + "(https://sqlite.org/wal.html)"
        case "fuse", "fuseblk", "fusectl":
            warning =
                "\(type) is a FUSE file system: its locks may be missing in /proc/locks, and it "
                + "may not provide the shared memory that WAL mode needs"
        default: warning = nil
        }
    }
}
