/// The write-ahead log of a database in WAL mode.
public struct WALStatus: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    public var bytes: UInt64
    /// The number of valid frames in the log (`mxFrame`), or `nil` if the wal-index could not be
    /// read.
    public var frames: UInt64?
    /// The number of valid frames that have been copied to the database file (`nBackfill`), or
    /// `nil` if unknown.
    public var checkpointedFrames: UInt64?
    /// The pin that prevents the log from shrinking, if any.
    public var pin: WALPin?
    /// The size of a page, in bytes, or `nil` if unknown.
    ///
    /// A frame is 24 bytes larger than a page.
    public var pageSize: Int?
    /// The read marks, in frames, indexed by number, or `nil` if unknown.
    ///
    /// An unused mark is `nil`. A reader with mark 0 ignores the log. A mark keeps its value after
    /// its reader ends.
    public var readMarks: [UInt64?]?
    /// The number of checkpoints since the database was opened, keyed by mode, or `nil` if unknown.
    ///
    /// The modes `passive`, `full`, `restart`, and `truncate` count the checkpoints that the
    /// program requested with `checkpoint(_:on:)`. The mode `unknown` counts all other checkpoints
    /// that copied frames: automatic checkpoints after commits, and checkpoints that pragmas or
    /// other processes requested.
    public var checkpoints: [String: UInt64]?

    /// Creates a status from sizes in bytes and frames.
    public init(
        bytes: UInt64,
        frames: UInt64? = nil,
        checkpointedFrames: UInt64? = nil,
        pin: WALPin? = nil
    ) {
        self.bytes = bytes
        self.frames = frames
        self.checkpointedFrames = checkpointedFrames
        self.pin = pin
    }
}

/// A condition that prevents a write-ahead log from shrinking.
public struct WALPin: Sendable, Codable, Equatable {
    /// The reason that a log does not shrink.
    public enum Cause: String, Sendable, Codable, Equatable {
        /// A reader of an old state prevents checkpoints from copying more frames.
        case oldReader
        /// Readers overlap continuously, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// No checkpoints run, or they fail.
        case noCheckpoint
        /// A connection of a different process pins the log.
        case otherProcess
    }

    /// The responsible access: the holder of a connection, or the creator of a snapshot.
    public var by: AccessOrigin
    /// The cause of the condition.
    public var cause: Cause
    /// The time for which the condition has lasted, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a pin.
    public init(by origin: AccessOrigin, cause: Cause, ageNanoseconds: UInt64) {
        self.by = origin
        self.cause = cause
        self.ageNanoseconds = ageNanoseconds
    }
}
