import Telemetry

/// Something unusual, or that nothing is.
public struct WatchVerdict: Sendable, Codable, Equatable {
    /// What was found.
    public enum Kind: String, Sendable, Codable, Equatable {
        /// There is no database that can be read.
        case unavailable
        /// A crash left a rollback journal, which the next reader rolls back.
        case hotJournal
        /// One process excludes all others: exclusive locking mode, or a long write.
        case exclusive
        /// A process holds the lock to write for long, or others wait for it.
        case longWriter
        /// A checkpoint waits for readers or a writer.
        case checkpointWaits
        /// A reader's old state keeps frames in the log.
        case pinned
        /// Readers overlap without a gap, so that the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// No checkpoint runs, or none completes.
        case noCheckpoint
        /// The log is large, and nothing keeps it from being used again.
        case largeNotPinned
        /// No process uses the database, and its log was left behind.
        case leftoverWAL
        /// Nothing unusual was seen.
        case nothing
    }

    /// What was found.
    public var kind: Kind
    /// The cause in the words of ``Telemetry/WALPin``, where a log does not shrink.
    public var cause: WALPin.Cause?
    /// The process that is responsible.
    public var pid: Int32?
    /// What was found, in one or two sentences.
    public var text: String
    /// What to do.
    public var remedy: String?

    init(
        _ kind: Kind,
        cause: WALPin.Cause? = nil,
        pid: Int32? = nil,
        _ text: String,
        remedy: String? = nil
    ) {
        self.kind = kind
        self.cause = cause
        self.pid = pid
        self.text = text
        self.remedy = remedy
    }
}
