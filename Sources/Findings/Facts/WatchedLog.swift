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
