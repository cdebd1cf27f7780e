/// The role of an SQLite connection.
public enum ConnectionRole: String, Sendable, Codable, Equatable {
    /// The only connection of a `DatabaseQueue`, used for reads and writes.
    case queue
    /// The writer of a `DatabasePool`.
    case writer
    /// A reader of a `DatabasePool`.
    case reader
    /// The connection of a `DatabaseSnapshot`.
    case snapshot
}

/// The activity of a connection when the status was taken.
public enum ConnectionState: String, Sendable, Codable, Equatable {
    /// No access holds the connection.
    case idle
    /// The connection is being opened for a waiting access.
    case opening
    /// The connection is waiting for another connection's lock on the file.
    case waitingForLock
    /// The connection is inside `sqlite3_step`.
    case statement
    /// An access holds the connection, and its closure is running or sleeping outside SQLite.
    case closure
    /// The connection is ending its transaction.
    case committing
}

/// The state of a transaction, as reported by `sqlite3_txn_state`.
public enum TransactionState: String, Sendable, Codable, Equatable {
    /// No transaction, or a transaction that has not accessed the database yet.
    case none
    /// A read transaction, which sees one state of the database.
    case read
    /// A write transaction.
    case write
}

/// The origin of an access that holds or waits for a connection.
public struct AccessOrigin: Sendable, Codable, Equatable, Hashable {
    /// The label that the program assigned to the access, or its call site as `File.swift:LINE`.
    public var name: String

    /// Creates an origin from its name.
    public init(name: String) {
        self.name = name
    }
}

/// The status of a connection.
public struct ConnectionStatus: Sendable, Codable, Equatable {
    /// The label: `L.writer`, `L.reader.N`, or `L.snapshot.N`, where `L` is the configuration's
    /// label.
    public var label: String
    /// The role of the connection.
    public var role: ConnectionRole
    /// The activity of the connection.
    public var state: ConnectionState
    /// The number of accesses that the connection has served, including the current access.
    public var accessCount: UInt64
    /// The access that holds the connection, or `nil` if the connection is idle.
    public var holder: AccessOrigin?
    /// The time for which the connection has been held, in nanoseconds, or `nil` if the connection
    /// is idle.
    public var heldNanoseconds: UInt64?
    /// The SQL of the running statement or of the access's last statement, or `nil` if the
    /// connection is idle.
    public var sql: String?
    /// The age of the running statement, in nanoseconds, or `nil` if no statement is running.
    ///
    /// The age is a lower bound, measured from the first call to `status()` that observed the
    /// statement.
    public var sqlNanoseconds: UInt64?
    /// The state of the transaction, or `nil` if unknown.
    public var transaction: TransactionState?
    /// The number of times that another connection's lock caused the connection to wait or fail.
    public var busyCount: UInt64
    /// The number of interrupted statements, or `nil` if unknown.
    public var interruptCount: UInt64?
    /// The time spent waiting for other connections' locks, in nanoseconds.
    public var busyWaitNanoseconds: UInt64?

    /// Creates a status.
    public init(
        label: String,
        role: ConnectionRole,
        state: ConnectionState = .idle,
        accessCount: UInt64 = 0,
        holder: AccessOrigin? = nil,
        heldNanoseconds: UInt64? = nil,
        sql: String? = nil,
        sqlNanoseconds: UInt64? = nil,
        transaction: TransactionState? = nil,
        busyCount: UInt64 = 0,
        interruptCount: UInt64? = 0
    ) {
        self.label = label
        self.role = role
        self.state = state
        self.accessCount = accessCount
        self.holder = holder
        self.heldNanoseconds = heldNanoseconds
        self.sql = sql
        self.sqlNanoseconds = sqlNanoseconds
        self.transaction = transaction
        self.busyCount = busyCount
        self.interruptCount = interruptCount
    }
}

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

/// A database that reports its status and events, and that supports interrupts and checkpoints.
///
/// The queue and the pool of SQLiteEngine conform to this protocol. Agents and the metrics reporter
/// support any conforming database. In a status, `nil` represents a value that the database does
/// not report.
public protocol StatusReporting: Sendable {
    /// Returns the current status without blocking accesses.
    func status() -> DatabaseStatus

    /// Returns a new stream of the events from now on.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    func events(slowerThan limit: Duration, buffering capacity: Int) -> AsyncStream<ConnectionEvent>

    /// Interrupts the running statements.
    func interrupt()

    /// Runs a passive checkpoint once the writer is free.
    ///
    /// - Returns: The number of frames in the log, and the number of those frames that have been
    ///   copied to the database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: The database's error if the checkpoint fails.
    func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int)
}
