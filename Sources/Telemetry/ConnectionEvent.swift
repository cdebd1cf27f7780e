/// Something that happened to a connection of a database.
public struct ConnectionEvent: Sendable, Codable, Equatable {
    /// What happened; durations are in nanoseconds.
    public enum Kind: Sendable, Codable, Equatable {
        /// An access ended that took longer than the listener finds acceptable.
        case slowAccess(by: AccessOrigin, waited: UInt64, held: UInt64)
        /// `interrupt()` was called; whether it met a statement.
        case interruptRequested(metStatement: Bool)
        /// A statement ended with `SQLITE_INTERRUPT`, so long after somebody asked for it.
        case interrupted(by: AccessOrigin?, after: UInt64?)
        /// Somebody else's lock was met.
        case busy(by: AccessOrigin?)
        /// A snapshot was made.
        case snapshotMade(by: AccessOrigin)
        /// A snapshot was closed, or let go.
        case snapshotClosed(by: AccessOrigin, age: UInt64)
        /// A connection was opened.
        case connectionOpened(took: UInt64)
        /// A connection could not be opened.
        case connectionNotOpened(took: UInt64)
        /// A connection was closed.
        case connectionClosed
        /// Frames of the write-ahead log were copied back, or the log begins anew.
        case checkpoint(frames: UInt64, checkpointed: UInt64, isRestart: Bool)
    }

    /// The monotonic clock when it happened, in nanoseconds from an arbitrary origin.
    public var timeNanoseconds: UInt64
    /// The label of the connection, or of the database where it concerns them all.
    public var label: String
    /// What happened.
    public var kind: Kind

    /// Creates an event.
    public init(timeNanoseconds: UInt64, label: String, kind: Kind) {
        self.timeNanoseconds = timeNanoseconds
        self.label = label
        self.kind = kind
    }
}
