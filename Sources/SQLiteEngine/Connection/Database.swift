import CSQLite
import Foundation

/// A pointer to the C structure `sqlite3`.
public typealias SQLiteConnection = OpaquePointer

/// One SQLite connection.
///
/// It is given to the closures of database accesses, and must not leave them: nothing but the
/// access keeps other threads away from it.
public final class Database {
    /// The C connection, for what this library does not offer; nil once it is closed.
    public internal(set) var sqliteConnection: SQLiteConnection?

    /// What the connection was opened with.
    public let configuration: Configuration

    /// The connection's label, such as `DatabasePool.reader.1`.
    public let label: String

    /// Whether the file was opened for reading only.
    let isReadOnlyConnection: Bool

    /// What others may see of the connection while it works.
    let probe: ConnectionProbe

    /// Statements that ``cachedStatement(sql:)`` keeps.
    var statementCache = StatementCache()

    /// Above zero, statements that write are refused: inside a queue's `read`, or ``readOnly(_:)``.
    var readOnlyDepth = 0

    /// Whether a wrapping transaction of ours is open: an autocommit connection then means that
    /// SQLite rolled it back (an interrupt, `ON CONFLICT ROLLBACK`), and everything until its end
    /// throws `SQLITE_ABORT`.
    var isInsideTransactionBlock = false

    /// BEGIN and COMMIT, prepared once.
    var transactionStatements = TransactionStatements()

    /// Set while the access belongs to a task, which may be cancelled.
    var cancellation: AccessCancellation?

    /// The date of the open transaction, once somebody asked.
    var openTransactionDate: Date?

    init(
        sqliteConnection: SQLiteConnection,
        configuration: Configuration,
        label: String,
        isReadOnly: Bool,
        probe: ConnectionProbe
    ) {
        self.sqliteConnection = sqliteConnection
        self.configuration = configuration
        self.label = label
        self.isReadOnlyConnection = isReadOnly
        self.probe = probe
    }

    /// Whether statements may not write now.
    var isReadOnly: Bool { isReadOnlyConnection || readOnlyDepth > 0 }

    /// Whether a transaction is open (`sqlite3_get_autocommit`).
    public var isInsideTransaction: Bool { sqlite3_get_autocommit(sqliteConnection) == 0 }

    /// The rowid of the last row that was inserted on this connection.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(sqliteConnection) }

    /// How many rows the last statement inserted, updated or deleted.
    public var changesCount: Int { Int(sqlite3_changes(sqliteConnection)) }

    /// How many rows were inserted, updated or deleted since the connection was opened.
    public var totalChangesCount: Int { Int(sqlite3_total_changes(sqliteConnection)) }

    /// The message of the last error on this connection, in English.
    var lastErrorMessage: String? {
        sqlite3_errmsg(sqliteConnection).map { String(cString: $0) }
    }
}

@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible {
    /// The connection's label.
    public var description: String { label }
}

extension Database {
    /// What happens when another connection holds a lock on the file.
    public enum BusyMode: Sendable {
        /// `SQLITE_BUSY` at once.
        case immediateError
        /// Tries for this many seconds, then `SQLITE_BUSY`.
        case timeout(TimeInterval)
        /// Asks a closure, with the number of tries so far, whether to try again.
        case callback(BusyCallback)
    }

    /// Answers whether to try again, given the number of tries so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// How a transaction begins.
    public enum TransactionKind: String, Sendable {
        /// Takes locks when they are needed.
        case deferred = "DEFERRED"
        /// Takes the write lock at once.
        case immediate = "IMMEDIATE"
        /// Takes the write lock, and without WAL keeps readers out.
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction ends.
    public enum TransactionCompletion: Hashable, Sendable {
        /// Its changes stay.
        case commit
        /// Its changes are undone.
        case rollback
    }
}
