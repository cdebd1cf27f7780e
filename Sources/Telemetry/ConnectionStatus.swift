/// What one SQLite connection is for.
public enum ConnectionRole: String, Sendable, Codable, Equatable {
    /// The only connection of a `DatabaseQueue`: it reads and writes.
    case queue
    /// The writer of a `DatabasePool`.
    case writer
    /// A reader of a `DatabasePool`.
    case reader
    /// The connection of a `DatabaseSnapshot`.
    case snapshot
}

/// What a connection is doing at the moment it was looked at.
public enum ConnectionState: String, Sendable, Codable, Equatable {
    /// Nobody holds it.
    case idle
    /// It is being opened for somebody who waits for it.
    case opening
    /// It waits for another connection's lock on the file.
    case waitingForLock
    /// It is inside `sqlite3_step`.
    case statement
    /// It is held, and the code of the access's closure runs (or sleeps).
    case closure
    /// It is ending its transaction.
    case committing
}

/// The transaction state that `sqlite3_txn_state` reports.
public enum TransactionState: String, Sendable, Codable, Equatable {
    /// No transaction, or one that has not touched the database yet.
    case none
    /// A read transaction: it keeps one state of the database visible.
    case read
    /// A write transaction.
    case write
}

/// Who holds a connection, or waits for one: a label given by the program, or the place of the call.
public struct AccessOrigin: Sendable, Codable, Equatable, Hashable {
    /// The name that the program gave to the access, or `File.swift:LINE`.
    public var name: String

    /// Creates an origin with the text that names it.
    public init(name: String) {
        self.name = name
    }
}

/// One connection, as `status()` saw it.
public struct ConnectionStatus: Sendable, Codable, Equatable {
    /// `L.writer`, `L.reader.N` or `L.snapshot.N`, where `L` is the configuration's label.
    public var label: String
    /// What the connection is for.
    public var role: ConnectionRole
    /// What it does.
    public var state: ConnectionState
    /// How many accesses it has served, the current one included.
    public var accessCount: UInt64
    /// Who holds it; nil when it is idle.
    public var holder: AccessOrigin?
    /// How long it has been held, in nanoseconds; nil when it is idle.
    public var heldNanoseconds: UInt64?
    /// The SQL of the statement that runs, or that ran last in this access; nil when it is idle.
    public var sql: String?
    /// The age of the running statement, in nanoseconds: a lower bound, counted from the first
    /// `status()` that saw it; nil when none runs.
    public var sqlNanoseconds: UInt64?
    /// The transaction's state; nil where it was not looked at.
    public var transaction: TransactionState?
    /// How many times the connection met a lock of somebody else's and had to wait or give up.
    public var busyCount: UInt64
    /// How many statements were interrupted on it.
    public var interruptCount: UInt64
    /// How long it waited for locks of somebody else's, in nanoseconds.
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
        interruptCount: UInt64 = 0
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
