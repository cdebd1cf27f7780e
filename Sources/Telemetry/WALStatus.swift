/// The write-ahead log of a database in WAL mode.
public struct WALStatus: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    public var bytes: UInt64
    /// The number of valid frames in the log (`mxFrame`), or `nil` if the wal-index could not be
    /// read.
    public var frames: UInt64?
    /// The number of these frames that have been copied to the database file (`nBackfill`), or
    /// `nil` if unknown.
    public var checkpointedFrames: UInt64?
    /// The pin that prevents the log from shrinking, if any.
    public var pin: WALPin?
    /// The size of a page, in bytes, or `nil` if unknown.
    ///
    /// Each frame is 24 bytes larger.
    public var pageSize: Int?
    /// The read marks, in frames, indexed by number, where `nil` is an unused mark.
    ///
    /// A reader with mark 0 ignores the log. A mark remains after its reader ends.
    public var readMarks: [UInt64?]?
    /// The number of checkpoints since the database was opened, keyed by mode, or `nil` if unknown.
    ///
    /// `passive`, `full`, `restart`, and `truncate` are the checkpoints that the program requested
    /// with `checkpoint(_:on:)`. `unknown` are all other checkpoints that copied frames: those of
    /// SQLite after commits, of pragmas, and of other processes.
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
    /// The reason why a log does not shrink.
    public enum Cause: String, Sendable, Codable, Equatable {
        /// A reader of an old state prevents checkpoints from copying more frames.
        case oldReader
        /// Readers overlap continuously, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// No checkpoints run, or they fail.
        case noCheckpoint
        /// A connection of another process pins the log.
        case otherProcess
    }

    /// The responsible access: the holder of a connection, or the creator of a snapshot.
    public var by: AccessOrigin
    /// The cause of the condition.
    public var cause: Cause
    /// How long the condition has lasted, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a pin.
    public init(by origin: AccessOrigin, cause: Cause, ageNanoseconds: UInt64) {
        self.by = origin
        self.cause = cause
        self.ageNanoseconds = ageNanoseconds
    }
}
