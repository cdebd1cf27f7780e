import CSQLite
import Telemetry

extension Database {
    /// Starts a read transaction.
    ///
    /// All statements in the transaction read the same database state as the first statement.
    @inline(__always)
    func beginReadAccess() throws {
        if resumeKeptTransaction() {
            probe.didResumeTransaction()
            return
        }
        try beginReadTransaction()
    }

    @inline(__always)
    func beginReadTransaction() throws {
        if isTransactionAbandoned { try endAbandonedTransaction() }
        try checkForSuspension(isReadOnly: true, sql: "BEGIN DEFERRED TRANSACTION")
        probe.willBeginTransaction()
        kept.pointee.willBegin()
        let code = transactionStatements.begin(.deferred, on: handle)
        guard code == SQLITE_OK else {
            throw transactionError(code, sql: "BEGIN DEFERRED TRANSACTION")
        }
        probe.didBeginTransaction(isWrite: false)
    }

    /// Ends a read transaction, and returns whether the transaction stays open.
    ///
    /// `mayHaveWritten` indicates whether the connection can write, which is `false` for a pool's
    /// reader. `mayKeep` returns whether the transaction may stay open for the next access.
    ///
    /// - Throws: `SQLITE_READONLY` if the access has written.
    @inline(__always)
    @discardableResult
    func endReadAccess(
        mayHaveWritten: Bool = true,
        mayKeep: () -> Bool = { false }
    ) throws -> Bool {
        if mayHaveWritten, sqlite3_txn_state(handle, nil) >= SQLITE_TXN_WRITE {
            abandonTransaction()
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "attempt to write a readonly database"
            )
        }
        // The closure of the access may have ended the transaction.
        guard sqlite3_get_autocommit(handle) == 0 else {
            kept.pointee.isUnconfirmed = false
            probe.didEndTransaction()
            return false
        }
        // Call `mayKeep` first to avoid reading the clock while the writer is active.
        if mayKeep(), keepTransaction(at: probe.clock.now(), if: mayKeep) { return true }
        kept.pointee.isUnconfirmed = false
        probe.willEndTransaction()
        let code = transactionStatements.commit(on: handle)
        guard code == SQLITE_OK else {
            // A read that has fetched all its results must not fail because of an interrupt that
            // arrives between two statements. This method therefore ignores the interrupt.
            guard code & 0xff == SQLITE_INTERRUPT else {
                let error = transactionError(code, sql: "COMMIT TRANSACTION")
                abandonTransaction()
                throw error
            }
            abandonTransaction()
            return false
        }
        probe.didEndTransaction()
        handleTransactionEndIfNeeded()
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetStatements() }
        return false
    }

    /// Starts the write transaction of an access.
    @inline(__always)
    func beginWriteAccess() throws {
        endKeptTransaction()
        if isTransactionAbandoned { try endAbandonedTransaction() }
        try checkFilesBeforeWrite()
        let kind = isReadOnly ? .deferred : configuration.defaultTransactionKind
        try checkForSuspension(
            isReadOnly: kind == .deferred,
            sql: "BEGIN \(kind.rawValue) TRANSACTION"
        )
        probe.willBeginTransaction()
        let code = transactionStatements.begin(kind, on: handle)
        guard code == SQLITE_OK else {
            throw transactionError(code, sql: "BEGIN \(kind.rawValue) TRANSACTION")
        }
        isInsideTransactionBlock = true
        probe.didBeginTransaction(isWrite: kind != .deferred)
        transactionDidBegin()
    }

    /// Commits the write transaction of an access.
    ///
    /// - Throws: `SQLITE_ABORT` if SQLite has already rolled back the transaction, or the error of
    ///   the commit.
    func endWriteAccess() throws {
        do {
            // If a rollback inside the access failed, the remaining changes must not be committed.
            if isTransactionAbandoned { try endAbandonedTransaction() }
            try checkForAbortedTransaction()
        } catch {
            abandonTransaction()
            throw error
        }
        isInsideTransactionBlock = false
        if isObserved { observationBroker?.willEndTransaction() }
        let code = probe.commit { transactionStatements.commit(on: handle) }
        guard code == SQLITE_OK else {
            let error = transactionError(code, sql: "COMMIT TRANSACTION")
            let observerError = isObserved ? observationBroker?.statementDidFail() : nil
            abandonTransaction()
            throw observerError ?? error
        }
        probe.didEndTransaction()
        openTransactionDate = nil
        handleTransactionEndIfNeeded()
        // An unfinished statement keeps a read transaction open until the statement is reset, which
        // would prevent a restart of the log.
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetStatements() }
        if isObserved { try observationBroker?.didCommitTransaction() }
    }

    /// Rolls back the transaction of a failed access, so that no transaction remains open.
    func abandonTransaction() {
        kept.pointee.isUnconfirmed = false
        isInsideTransactionBlock = false
        openTransactionDate = nil
        probe.willEndTransaction()
        defer { probe.didEndTransaction() }
        if isInsideTransaction { _ = rollbackIgnoringInterrupts() }
        openTransactionDate = nil
        handleTransactionEndIfNeeded()
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE { resetStatements() }
    }

    /// Stops the program if an access without a transaction leaves a transaction open, because the
    /// next access would run inside that transaction.
    ///
    /// If the access was canceled, this method rolls back the transaction instead, because the
    /// access may have been unable to end it.
    @inline(__always)
    func preconditionNoTransactionIsLeftOpen() {
        guard sqlite3_get_autocommit(handle) == 0, !isTransactionAbandoned else { return }
        endLeftOpenTransaction()
    }

    @inline(never)
    private func endLeftOpenTransaction() {
        if configuration.allowsUnsafeTransactions { return }
        requirement(
            cancellation?.isCancelled == true,
            "A transaction was left open at the end of a database access"
        )
        abandonTransaction()
    }

    /// Runs a task's access without a transaction.
    ///
    /// - Throws: The error that `body` throws, or `CancellationError` if the canceled access has
    ///   left a transaction open.
    func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        let result = try body(self)
        if isInsideTransaction, !configuration.allowsUnsafeTransactions {
            try cancellation?.check()
        }
        return result
    }
}

// MARK: - Complete accesses on the connection's thread

extension Database {
    /// Runs `body` in a read transaction, which stays open afterward if `mayKeep` returns `true`.
    func withReadTransaction<T>(
        mayKeep: () -> Bool = { false },
        _ body: (Database) throws -> T
    ) throws -> T {
        try beginReadAccess()
        let result: T
        do {
            result = try body(self)
        } catch {
            abandonTransaction()
            throw error
        }
        try endReadAccess(mayKeep: mayKeep)
        return result
    }

    func withWriteTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try beginWriteAccess()
        let result: T
        do {
            result = try body(self)
            try cancellation?.check()
        } catch {
            abandonTransaction()
            throw error
        }
        try endWriteAccess()
        return result
    }

    /// Ends an access without a transaction on a pool's reader.
    func endUnsafeAccess() {
        preconditionNoTransactionIsLeftOpen()
        if sqlite3_txn_state(handle, nil) != SQLITE_TXN_NONE {
            resetStatements()
            probe.didEndTransaction()
        }
    }
}
