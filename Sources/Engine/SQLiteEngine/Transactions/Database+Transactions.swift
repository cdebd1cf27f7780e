import CSQLite
import Foundation

extension Database {
    /// Starts a transaction.
    ///
    /// If `kind` is `nil`, the transaction is deferred on a read-only connection and immediate
    /// otherwise.
    ///
    /// - Throws: A ``DatabaseError``, such as `SQLITE_BUSY`.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        let kind = kind ?? (isReadOnly ? .deferred : configuration.defaultTransactionKind)
        let sql = "BEGIN \(kind.rawValue) TRANSACTION"
        if handle != nil {
            let code = transactionStatements.prepareRollback(on: handle)
            guard code == SQLITE_OK else { throw transactionError(code, sql: sql) }
        }
        try execute(sql: sql)
    }

    /// Commits the open transaction.
    ///
    /// - Throws: A ``DatabaseError``, such as `SQLITE_ERROR` if no transaction is open.
    public func commit() throws {
        try probe.commit { try execute(sql: "COMMIT TRANSACTION") }
    }

    /// Rolls back the open transaction, if any.
    ///
    /// An interrupt does not stop the rollback.
    ///
    /// - Throws: A ``DatabaseError``.
    public func rollback() throws {
        guard isInsideTransaction else { return }
        let code = rollbackIgnoringInterrupts()
        guard code == SQLITE_OK else { throw transactionError(code, sql: "ROLLBACK TRANSACTION") }
    }

    /// Runs `operations` in a transaction that commits or rolls back depending on the result.
    ///
    /// The transaction also rolls back if `operations` throws. If `kind` is `nil`, the transaction
    /// is deferred on a read-only connection and immediate otherwise.
    ///
    /// SQLite itself may roll back the transaction, for example after an interrupted write or
    /// because of `ON CONFLICT ROLLBACK`. In this case, all subsequent statements in `operations`
    /// and the commit throw `SQLITE_ABORT`, so that no statement writes outside the transaction.
    ///
    /// - Throws: The first error that occurs.
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

    /// Runs `operations` in a savepoint, or in a transaction if none is open.
    ///
    /// The result determines whether the changes in the savepoint are kept.
    ///
    /// - Throws: The first error that occurs.
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else {
            try inTransaction(nil, operations)
            return
        }
        try execute(sql: "SAVEPOINT poolgauge")
        try runTransactionBlock(operations) {
            try execute(sql: "RELEASE SAVEPOINT poolgauge")
        } rollback: {
            do {
                // A rollback leaves the savepoint on SQLite's stack. The release removes it.
                try execute(sql: "ROLLBACK TRANSACTION TO SAVEPOINT poolgauge")
                try execute(sql: "RELEASE SAVEPOINT poolgauge")
            } catch {
                // Otherwise, an access that ignores the error would commit the savepoint's changes.
                if isInsideTransactionBlock { try? self.rollback() }
                throw error
            }
        }
    }

    /// The date of the open transaction, which stays the same until the transaction ends.
    ///
    /// Outside a transaction, the value is the current date.
    ///
    /// The date of a write transaction is set when the transaction starts. The date of a `read` is
    /// set when this property is first used.
    ///
    /// - Throws: The error that the configuration's clock throws.
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

    /// Records the date of a new transaction, and the committed state before its first statement.
    ///
    /// If the clock throws, ``transactionDate`` throws the same error.
    func transactionDidBegin() {
        recordStateBeforeTransaction()
        openTransactionDate = Result { try configuration.transactionClock.now(self) }
    }

    @inline(__always)
    func handleTransactionEndIfNeeded() {
        if attention.contains(.transaction) { transactionDidEnd() }
    }

    @inline(never)
    func transactionDidEnd() {
        openTransactionDate = nil
        savepoints.removeAll()
        if hasChangedSchema { schemaDidChange() }
        hasChangedSchema = false
        if discardsSchemaAfterTransaction { expireKnownSchema() }
        discardsSchemaAfterTransaction = false
        attention.remove(.transaction)
    }

    /// Runs a closure in which statements that write throw an error.
    ///
    /// - Throws: The error that `value` throws, or `SQLITE_READONLY` for a statement that writes.
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
            // The end of a transaction also ends its savepoints.
            if isInsideTransaction { try rollback() }
        } catch {
            firstError = firstError ?? error
        }
        if let firstError { throw firstError }
    }

    // MARK: Support for accesses

    func transactionError(_ code: CInt, sql: String) -> DatabaseError {
        let lockWait = probe.takeLockWait(code)
        probe.didFail(code)
        var error = lastError(sql: sql)
        error.lockWait = lockWait
        return error
    }

    /// How many times a rollback runs if interrupts stop it.
    static var maximumRollbackCount: Int { 100 }

    /// Rolls back the transaction, regardless of interrupts, and returns the last result code.
    ///
    /// The interrupt flag stays set until all statements are reset
    /// (https://sqlite.org/c3ref/interrupt.html), so this method resets the statements before each
    /// retry.
    func rollbackIgnoringInterrupts() -> CInt {
        if isObserved { observationBroker?.willEndTransaction() }
        var code = transactionStatements.rollback(on: handle)
        var tries = 0
        while code & 0xff == SQLITE_INTERRUPT, tries < Self.maximumRollbackCount {
            resetStatements()
            guard isInsideTransaction else {
                code = SQLITE_OK
                break
            }
            code = transactionStatements.rollback(on: handle)
            tries += 1
        }
        isTransactionAbandoned = isInsideTransaction
        guard !isTransactionAbandoned else { return code }
        handleTransactionEndIfNeeded()
        if isObserved { observationBroker?.didRollBackTransaction() }
        return code
    }

    /// Retries the rollback of a transaction.
    ///
    /// - Throws: The error of the rollback.
    @inline(never)
    func endAbandonedTransaction() throws {
        let code = rollbackIgnoringInterrupts()
        guard isTransactionAbandoned else { return }
        throw transactionError(code, sql: "ROLLBACK TRANSACTION")
    }

    /// Resets every statement of the connection, because unfinished statements hold locks.
    func resetStatements() {
        resetCount &+= 1
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
            statement = sqlite3_next_stmt(handle, current)
        }
    }
}
