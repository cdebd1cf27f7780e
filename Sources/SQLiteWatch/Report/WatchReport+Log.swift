/// The write-ahead log of a database.
public struct WatchedWAL: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes: not a backlog, because the file keeps its size when
    /// the log starts over.
    public var bytes: UInt64
    /// The frames in use; nil without a wal-index.
    public var frames: UInt64?
    /// The frames for which the file has room.
    public var room: UInt64?
    /// The frames that are in the database file already.
    public var backfilled: UInt64?
    /// The frames that readers keep in the log.
    public var pinned: UInt64?
    /// Bytes in a page; a frame has 24 more.
    public var pageSize: Int?
    /// The read marks, in frames; nil for one that is not in use.
    ///
    /// A mark outlives its reader.
    public var marks: [UInt64?]
    /// Commits in the interval that changed a page.
    public var commits: UInt64
    /// Commits per second.
    public var commitsPerSecond: Double
    /// Frames written in the interval; at least so many when the log was reset.
    public var framesWritten: UInt64
    /// Frames per second.
    public var framesPerSecond: Double
    /// Checkpoints seen in the interval that copied frames; at least so many.
    public var checkpoints: UInt64
    /// Frames that they copied.
    public var framesBackfilled: UInt64
    /// How often the log started over in the interval.
    public var resets: UInt64
}

/// Transactions of a rollback journal.
public struct WatchedRollback: Sendable, Codable, Equatable {
    /// Transactions in the interval, from the change counter.
    ///
    /// In exclusive locking mode the counter changes only once.
    public var transactions: UInt64
    /// Transactions per second.
    public var transactionsPerSecond: Double
    /// The size of the `-journal` file, in bytes; nil when there is none.
    public var journalBytes: UInt64?
    /// Whether the journal is of a transaction whose process ended: the next reader rolls it back.
    public var isHot: Bool
}

/// A period in which a process was in the way of others.
public struct WatchEpisode: Sendable, Codable, Equatable {
    /// What the process held.
    public enum Kind: String, Sendable, Codable, Equatable {
        /// The lock to write.
        case writer
        /// The lock to checkpoint.
        case checkpoint
        /// A read mark behind the end of the log.
        case pin
        /// A lock of a rollback journal that excludes others, or exclusive locking mode.
        case exclusive
    }

    /// A process that probably waited.
    public struct Waiter: Sendable, Codable, Hashable {
        /// Its number.
        public var pid: Int32
        /// Its name.
        public var name: String
    }

    /// What it held.
    public var kind: Kind
    /// The process.
    public var pid: Int32
    /// Its name.
    public var name: String
    /// The first of the samples that show it.
    public var start: WatchTime
    /// The first sample that does not; nil while it lasts.
    public var end: WatchTime?
    /// How long it lasted, or has lasted, in seconds.
    public var seconds: Double
    /// The most frames that it pinned.
    public var frames: UInt64?
    /// The processes that probably waited meanwhile.
    public var waiters: [Waiter]
}
