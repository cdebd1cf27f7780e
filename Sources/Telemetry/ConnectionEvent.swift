/// An event of a database connection.
public struct ConnectionEvent: Sendable, Codable, Equatable {
    /// The kind of an event.
    ///
    /// Durations are in nanoseconds.
    public enum Kind: Sendable, Codable, Equatable {
        /// An access took longer than the limit of the event stream.
        case slowAccess(by: AccessOrigin, waited: UInt64, held: UInt64)
        /// The program called `interrupt()`.
        ///
        /// `metStatement` indicates whether a statement was running.
        case interruptRequested(metStatement: Bool)
        /// A statement ended with `SQLITE_INTERRUPT`, `after` nanoseconds after the request.
        case interrupted(by: AccessOrigin?, after: UInt64?)
        /// The connection encountered a lock of a different connection.
        case busy(by: AccessOrigin?)
        /// A snapshot was created.
        case snapshotMade(by: AccessOrigin?)
        /// A snapshot was closed or deallocated.
        case snapshotClosed(by: AccessOrigin?, age: UInt64)
        /// A connection was opened.
        case connectionOpened(took: UInt64)
        /// An attempt to open a connection failed.
        case connectionNotOpened(took: UInt64)
        /// A connection was closed.
        case connectionClosed
        /// A checkpoint copied frames from the write-ahead log to the database file, or the log was
        /// restarted.
        case checkpoint(frames: UInt64, checkpointed: UInt64, isRestart: Bool)
    }

    /// The time of the event on the monotonic clock, in nanoseconds from an arbitrary origin.
    public var timeNanoseconds: UInt64
    /// The label of the connection, or of the database if the event concerns all its connections.
    public var label: String
    /// The kind of the event.
    public var kind: Kind

    /// Creates an event.
    public init(timeNanoseconds: UInt64, label: String, kind: Kind) {
        self.timeNanoseconds = timeNanoseconds
        self.label = label
        self.kind = kind
    }
}
