/// The details of a failure with `SQLITE_BUSY`, as far as a target knows them.
public struct BusyFailure: Sendable, Hashable {
    /// The part of the connection's busy handler in the failure.
    public enum Handler: Sendable, Hashable {
        /// The target does not know it.
        case unknown
        /// SQLite did not call the handler, because waiting could cause a deadlock: a transaction
        /// that had read wanted to write while another connection wrote.
        case skipped
        /// The handler waited, and gave up; both times in nanoseconds, the timeout nil if unknown.
        case gaveUp(waited: UInt64, timeout: UInt64?)
    }

    /// The SQL that failed.
    public var statement: String?
    /// The part of the busy handler.
    public var handler: Handler
    /// The client whose connection held the lock, or changed the database last; nil if unknown.
    public var holder: String?

    /// Creates a description.
    public init(statement: String? = nil, handler: Handler = .unknown, holder: String? = nil) {
        self.statement = statement
        self.handler = handler
        self.holder = holder
    }
}
