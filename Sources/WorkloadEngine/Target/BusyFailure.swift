/// The details of a `SQLITE_BUSY` failure that a target can report.
public struct BusyFailure: Sendable, Hashable {
    /// The role of the connection's busy handler in the failure.
    public enum Handler: Sendable, Hashable {
        /// The target does not report the handler's role.
        case unknown
        /// SQLite did not call the handler because waiting could cause a deadlock.
        ///
        /// A transaction tried to write after a read, while another connection was writing.
        case skipped
        /// The handler gave up after waiting.
        ///
        /// Both times are in nanoseconds. The timeout is `nil` if unknown.
        case gaveUp(waited: UInt64, timeout: UInt64?)
    }

    /// The SQL that failed.
    public var statement: String?
    /// The busy handler's role.
    public var handler: Handler
    /// The client whose connection held the lock or last changed the database, or `nil` if unknown.
    public var holder: String?

    /// Creates a description.
    public init(statement: String? = nil, handler: Handler = .unknown, holder: String? = nil) {
        self.statement = statement
        self.handler = handler
        self.holder = holder
    }
}
