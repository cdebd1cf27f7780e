/// The write-ahead log of a database in WAL mode.
public struct WALStatus: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    public var bytes: UInt64
    /// The number of valid frames in the log (`mxFrame`); nil if the wal-index could not be read.
    public var frames: UInt64?
    /// The number of these frames in the database file (`nBackfill`); nil if unknown.
    public var checkpointedFrames: UInt64?
    /// The cause that prevents the log from shrinking, if any.
    public var pin: WALPin?
    /// The size of a page, in bytes; nil if unknown.
    ///
    /// Each frame is 24 bytes larger.
    public var pageSize: Int?
    /// The read marks, in frames, by number; nil for an unused mark.
    ///
    /// A reader on mark 0 reads only the database file. A mark persists after its reader has ended.
    public var readMarks: [UInt64?]?

    /// Creates a status.
    ///
    /// Sizes are in bytes and frames.
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

/// The cause that prevents a write-ahead log from shrinking.
public struct WALPin: Sendable, Codable, Equatable {
    /// The reason why a log does not shrink.
    public enum Cause: String, Sendable, Codable, Equatable {
        /// A reader's old state prevents checkpoints from copying further frames.
        case oldReader
        /// Readers overlap without a gap, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// No checkpoints occur, or they fail.
        case noCheckpoint
        /// Another process's connection prevents it.
        case otherProcess
    }

    /// The responsible access: the holder of a connection, or the creator of a snapshot.
    public var by: AccessOrigin
    /// The reason why the log does not shrink.
    public var cause: Cause
    /// The duration of this condition, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a pin.
    public init(by origin: AccessOrigin, cause: Cause, ageNanoseconds: UInt64) {
        self.by = origin
        self.cause = cause
        self.ageNanoseconds = ageNanoseconds
    }
}
