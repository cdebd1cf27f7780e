import CSQLite
import Foundation

extension Database {
    /// Begins a transaction.
    ///
    /// - Parameter kind: By default deferred where writing is refused, immediate elsewhere.
    /// - Throws: A ``DatabaseError``, such as `SQLITE_BUSY`.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        let kind = kind ?? (isReadOnly ? .deferred : configuration.defaultTransactionKind)
        try execute(sql: "BEGIN \(kind.rawValue) TRANSACTION")
    }

    /// Commits the open transaction.
    ///
    /// - Throws: A ``DatabaseError``; `SQLITE_ERROR` when there is no transaction.
    public func commit() throws {
        try probe.commit { try execute(sql: "COMMIT TRANSACTION") }
    }

    /// Undoes the open transaction; does nothing when there is none.
    ///
    /// An interrupt that comes meanwhile does not stop it.
    ///
    /// - Throws: A ``DatabaseError``.
    public func rollback() throws {
        guard isInsideTransaction else { return }
        let code = rollbackIgnoringInterrupts()
        guard code == SQLITE_OK else { throw transactionError(code, sql: "ROLLBACK TRANSACTION") }
    }

    /// Runs `operations` in a transaction, which ends as they say, and is undone when they throw.
    ///
    /// When SQLite itself gives the transaction up (an interrupted write, `ON CONFLICT
    /// ROLLBACK`), every statement until the end of `operations`, and the commit, throw
    /// `SQLITE_ABORT`: nothing is ever written outside the transaction.
    ///
    /// - Parameters:
    ///   - kind: By default deferred where writing is refused, immediate elsewhere.
    ///   - operations: Says how the transaction ends.
    /// - Throws: The first error.
    public func inTransaction(
        _ kind: TransactionKind? = nil,
        _ operations: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        try runTransactionBlock(operations) {
            try commit()
        } rollback: {
            try rollback()
        }
    }

    /// Runs `operations` in a savepoint, or in a transaction where none is open.
    ///
    /// - Parameter operations: Says whether the savepoint's changes stay.
    /// - Throws: The first error.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else {
            try inTransaction(nil, operations)
            return
        }
        try execute(sql: "SAVEPOINT poolgauge")
        try runTransactionBlock(operations) {
            try execute(sql: "RELEASE SAVEPOINT poolgauge")
        } rollback: {
            // Rolling back leaves the savepoint on SQLite's stack; releasing takes it off.
            try execute(sql: "ROLLBACK TRANSACTION TO SAVEPOINT poolgauge")
            try execute(sql: "RELEASE SAVEPOINT poolgauge")
        }
    }

    /// The date of the open transaction, the same for as long as it is open; outside one, the
    /// current date.
    ///
    /// It is taken when the transaction begins; by a `read`, when somebody first asks.
    ///
    /// - Throws: What the configuration's clock throws.
    public var transactionDate: Date {
        get throws {
            if let openTransactionDate, isInsideTransaction { return try openTransactionDate.get() }
            let date = Result { try configuration.transactionClock.now(self) }
            if isInsideTransaction {
                openTransactionDate = date
                attention.insert(.transaction)
            }
            return try date.get()
        }
    }

    /// Records the date of a transaction that has begun, and the committed state before its first
    /// statement.
    ///
    /// An error of the clock is thrown when the date is used.
    func transactionDidBegin() {
        recordStateBeforeTransaction()
        openTransactionDate = Result { try configuration.transactionClock.now(self) }
    }

    /// Forgets what belonged to a transaction, if anything does.
    @inline(__always)
    func transactionDidEndIfNoted() {
        if attention.contains(.transaction) { transactionDidEnd() }
    }

    /// Forgets what belonged to a transaction.
    @inline(never)
    func transactionDidEnd() {
        openTransactionDate = nil
        savepoints.removeAll()
        if hasChangedSchema { schemaDidChange() }
        hasChangedSchema = false
        if forgetsSchemaAfterTransaction { expireKnownSchema() }
        forgetsSchemaAfterTransaction = false
        attention.remove(.transaction)
    }

    /// Refuses statements that write while `value` runs.
    ///
    /// - Throws: The error that `value` throws; `SQLITE_READONLY` for a statement that writes.
    public func readOnly<T>(_ value: () throws -> T) throws -> T {
        readOnlyDepth += 1
        defer { readOnlyDepth -= 1 }
        return try value()
    }

    private func runTransactionBlock(
        _ operations: () throws -> TransactionCompletion,
        commit: () throws -> Void,
        rollback: () throws -> Void
    ) throws {
        let wasInside = isInsideTransactionBlock
        isInsideTransactionBlock = true
        var firstError: (any Error)?
        do {
            if try operations() == .commit {
                try checkForAbortedTransaction()
                isInsideTransactionBlock = wasInside
                try commit()
                return
            }
        } catch {
            firstError = error
        }
        isInsideTransactionBlock = wasInside
        do {
            // A transaction that is gone took its savepoints along.
            if isInsideTransaction { try rollback() }
        } catch {
            firstError = firstError ?? error
        }
        if let firstError { throw firstError }
    }

    // MARK: For the accesses

    /// The error of a transaction statement that failed.
    func transactionError(_ code: CInt, sql: String) -> DatabaseError {
        probe.didFail(code)
        return DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
            message: lastErrorMessage,
            sql: sql
        )
    }

    /// Rolls back, however often it is interrupted, and gives the last result code.
    ///
    /// The flag of an interrupt stays up while a statement is not reset
    /// (https://sqlite.org/c3ref/interrupt.html), so these are reset first.
    func rollbackIgnoringInterrupts() -> CInt {
        if isObserved { observationBroker?.willEndTransaction() }
        var code = transactionStatements.rollback(on: handle)
        var tries = 0
        while code & 0xff == SQLITE_INTERRUPT, tries < 100 {
            resetStatements()
            guard isInsideTransaction else {
                code = SQLITE_OK
                break
            }
            code = transactionStatements.rollback(on: handle)
            tries += 1
        }
        guard !isInsideTransaction else { return code }
        transactionDidEndIfNoted()
        if isObserved { observationBroker?.didRollBackTransaction() }
        return code
    }

    /// Resets every statement of the connection: those that are still stepping keep its locks.
    func resetStatements() {
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(handle, current)
        }
    }
}
