/// The details of a `SQLITE_BUSY` failure that a target can report.
public struct BusyFailure: Sendable, Codable, Hashable {
    /// The role of the connection's busy handler in the failure.
    public enum Handler: Sendable, Codable, Hashable {
        /// The target does not report the handler's role.
        case unknown
        /// SQLite did not call the handler, because waiting could cause a deadlock.
        ///
        /// A transaction tried to write after a read while another connection was writing.
        case skipped
        /// The handler stopped waiting.
        ///
        /// Both times are in nanoseconds. The timeout is `nil` if unknown.
        case gaveUp(waited: UInt64, timeout: UInt64?)
    }

    /// The SQL that failed, or `nil` if unknown.
    public var statement: String?
    /// The role of the busy handler.
    public var handler: Handler
    /// The client that held the lock or last changed the database, or `nil` if unknown.
    public var holder: String?

    /// Creates a description of a failure.
    public init(statement: String? = nil, handler: Handler = .unknown, holder: String? = nil) {
        self.statement = statement
        self.handler = handler
        self.holder = holder
    }
}
