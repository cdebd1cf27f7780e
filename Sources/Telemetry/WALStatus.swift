/// The write-ahead log of a database in WAL mode.
public struct WALStatus: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    public var bytes: UInt64
    /// The valid frames in the log (`mxFrame`); nil when the wal-index could not be read.
    public var frames: UInt64?
    /// How many of them are in the database file already (`nBackfill`); nil when not known.
    public var checkpointedFrames: UInt64?
    /// What keeps the log from shrinking, when something does.
    public var pin: WALPin?
    /// The size of a page, in bytes; nil when not known.
    ///
    /// Each frame is 24 bytes larger.
    public var pageSize: Int?
    /// The read marks, in frames, by number; nil for one that is not in use.
    ///
    /// A reader on mark 0 reads the database file alone. A mark outlives its reader.
    public var readMarks: [UInt64?]?

    /// Creates a status; sizes are in bytes and frames.
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

/// What keeps a write-ahead log from shrinking.
public struct WALPin: Sendable, Codable, Equatable {
    /// Why a log does not shrink.
    public enum Cause: String, Sendable, Codable, Equatable {
        /// A reader's old state holds back the backfill.
        case oldReader
        /// Readers overlap without a gap, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills it.
        case largeTransaction
        /// Nobody checkpoints, or checkpoints fail.
        case noCheckpoint
        /// A connection of another process.
        case otherProcess
    }

    /// Who is responsible: a connection's holder, or a snapshot's maker.
    public var by: AccessOrigin
    /// Why the log does not shrink.
    public var cause: Cause
    /// How long it has been so, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a pin.
    public init(by origin: AccessOrigin, cause: Cause, ageNanoseconds: UInt64) {
        self.by = origin
        self.cause = cause
        self.ageNanoseconds = ageNanoseconds
    }
}
