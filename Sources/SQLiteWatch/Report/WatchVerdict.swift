import Telemetry

/// An unusual finding, or a statement that nothing unusual was observed.
public struct WatchVerdict: Sendable, Codable, Equatable {
    /// The kind of a finding.
    public enum Kind: String, Sendable, Codable, Equatable {
        /// The database cannot be read.
        case unavailable
        /// A crash left a rollback journal, which the next reader rolls back.
        case hotJournal
        /// One process excludes all other processes, either in exclusive locking mode or during a
        /// long write.
        case exclusive
        /// A process has held the write lock for a long time, or other processes are waiting for
        /// the lock.
        case longWriter
        /// A checkpoint waits for readers or a writer.
        case checkpointWaits
        /// A reader with an old snapshot pins frames in the log.
        case pinned
        /// Readers overlap continuously, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// The backlog is large, but no checkpoint copies frames to the database file.
        case noCheckpoint
        /// The log is large, but nothing prevents its reuse.
        case largeNotPinned
        /// The log remains, but no process uses the database.
        case leftoverWAL
        /// Nothing unusual was observed.
        case nothing
    }

    /// The kind of the finding.
    public var kind: Kind
    /// The cause of a log that does not shrink, as defined by ``Telemetry/WALPin``.
    public var cause: WALPin.Cause?
    /// The process ID of the responsible process.
    public var pid: Int32?
    /// A description of the finding, in one or two sentences.
    public var text: String
    /// The remedy.
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
