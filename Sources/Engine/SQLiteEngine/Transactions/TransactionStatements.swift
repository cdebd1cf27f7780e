import CSQLite

/// The `BEGIN`, `COMMIT`, and `ROLLBACK` statements of a connection.
///
/// The statements are prepared when they are first needed and then reused, because preparing a
/// statement costs more than a point read.
struct TransactionStatements {
    private var beginDeferred: OpaquePointer?
    private var beginImmediate: OpaquePointer?
    private var beginExclusive: OpaquePointer?
    private var commit: OpaquePointer?
    private var rollback: OpaquePointer?

    private static var rollbackSQL: StaticString { "ROLLBACK TRANSACTION" }

    /// Runs `BEGIN` and returns an SQLite result code.
    mutating func begin(_ kind: Database.TransactionKind, on handle: OpaquePointer?) -> CInt {
        let code = prepareRollback(on: handle)
        guard code == SQLITE_OK else { return code }
        return switch kind {
        case .deferred: Self.run(&beginDeferred, sql: "BEGIN DEFERRED TRANSACTION", on: handle)
        case .immediate: Self.run(&beginImmediate, sql: "BEGIN IMMEDIATE TRANSACTION", on: handle)
        case .exclusive: Self.run(&beginExclusive, sql: "BEGIN EXCLUSIVE TRANSACTION", on: handle)
        }
    }

    /// Prepares `ROLLBACK` before a transaction starts.
    ///
    /// A rollback then succeeds even if SQLite cannot allocate memory to prepare a statement,
    /// unless the transaction has changed the schema; see ``Database/isTransactionAbandoned``.
    @inline(__always)
    mutating func prepareRollback(on handle: OpaquePointer?) -> CInt {
        rollback == nil ? Self.prepare(&rollback, sql: Self.rollbackSQL, on: handle) : SQLITE_OK
    }

    /// Runs `COMMIT` and returns an SQLite result code.
    mutating func commit(on handle: OpaquePointer?) -> CInt {
        Self.run(&commit, sql: "COMMIT TRANSACTION", on: handle)
    }

    /// Runs `ROLLBACK` and returns an SQLite result code.
    mutating func rollback(on handle: OpaquePointer?) -> CInt {
        Self.run(&rollback, sql: Self.rollbackSQL, on: handle)
    }

    mutating func finalize() {
        for statement in [beginDeferred, beginImmediate, beginExclusive, commit, rollback] {
            sqlite3_finalize(statement)
        }
        self = TransactionStatements()
    }

    @inline(__always)
    private static func run(
        _ statement: inout OpaquePointer?,
        sql: StaticString,
        on handle: OpaquePointer?
    ) -> CInt {
        if statement == nil {
            let code = prepare(&statement, sql: sql, on: handle)
            guard code == SQLITE_OK else { return code }
        }
        let code = sqlite3_step(statement)
        let resetCode = sqlite3_reset(statement)
        return code == SQLITE_DONE ? SQLITE_OK : (resetCode == SQLITE_OK ? code : resetCode)
    }

    @inline(never)
    private static func prepare(
        _ statement: inout OpaquePointer?,
        sql: StaticString,
        on handle: OpaquePointer?
    ) -> CInt {
        sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: sql.utf8CodeUnitCount) {
            sqlite3_prepare_v3(handle, $0, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        }
    }
}

extension Database {
    /// The locking behavior of a transaction.
    public enum TransactionKind: String, Hashable, Sendable {
        /// Acquires locks when they are needed.
        case deferred = "DEFERRED"
        /// Acquires the write lock immediately.
        case immediate = "IMMEDIATE"
        /// Acquires the write lock immediately.
        ///
        /// Without WAL, the transaction also blocks readers.
        case exclusive = "EXCLUSIVE"
    }

    /// The outcome of a transaction.
    public enum TransactionCompletion: Hashable, Sendable {
        /// The changes are kept.
        case commit
        /// The changes are rolled back.
        case rollback
    }
}
