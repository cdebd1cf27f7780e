import CSQLite
import SQLText

extension Database {
    /// Checks whether a statement may run, before the first step of an execution.
    ///
    /// - Throws: `SQLITE_ABORT` inside a transaction that SQLite has rolled back, or
    ///   `SQLITE_READONLY` for a statement that writes while writes are not allowed.
    @inline(__always)
    func statementWillExecute(_ statement: Statement) throws {
        preconditionRightThread()
        try confirmReadState()
        if !statement.isReadonly, sqlite3_get_autocommit(handle) != 0 {
            // A copy of a removed file can still be written.
            if !statement.isVacuumInto { try checkFilesBeforeWrite() }
        }
        if isInsideTransactionBlock || readOnlyDepth > 0 || cancellation != nil || suspension.isOn
            || isTransactionAbandoned
        {
            try checkExecution(of: statement)
        }
        if statement.hasEffect || !attention.isDisjoint(with: .beforeStatement) {
            try announceExecution(of: statement)
        }
    }

    /// Processes the effects of a statement after an execution.
    ///
    /// - Throws: An error from an observer that prevents a commit.
    @inline(__always)
    func statementDidExecute(_ statement: Statement) throws {
        if statement.hasEffect || !attention.isEmpty { try processEffects(of: statement) }
    }

    /// Updates the probe's counters after a failed step and returns the error.
    func statementDidFail(_ statement: Statement, code: CInt) -> any Error {
        var error = lastError(sql: statement.sql, arguments: statement.arguments)
        error.lockWait = probe.takeLockWait(code)
        statement.reset()
        probe.didFail(error.extendedResultCode.rawValue)
        if attention.contains(.transaction), !isInsideTransaction { transactionDidEnd() }
        if isObserved, let observerError = observationBroker?.statementDidFail() {
            return observerError
        }
        return error
    }

    /// Records the region of a statement, and notifies observers, before the statement runs.
    @inline(never)
    private func announceExecution(of statement: Statement) throws {
        // SQLite reports a deferred `BEGIN` as read-only. The later write cannot start unless the
        // transaction does.
        if statement.isReadonly, statement.effect.beginsTransaction, !isInsideTransaction {
            try checkFilesBeforeWrite()
        }
        if let recordedRegion {
            self.recordedRegion = recordedRegion.union(statement.databaseRegion)
        }
        if isObserved { try observationBroker?.statementWillExecute(statement) }
    }

    /// Updates the state of transactions, savepoints, and the schema, and notifies observers.
    @inline(never)
    private func processEffects(of statement: Statement) throws {
        switch statement.effect {
        case .begin:
            kept.pointee.programDidBegin()
            attention.insert(.transaction)
            transactionDidBegin()
        case .savepoint(let name):
            kept.pointee.programDidBegin()
            attention.insert(.transaction)
            if openTransactionDate == nil { transactionDidBegin() }
            savepoints.begin(name, eventCount: observationBroker?.heldBackCount ?? 0)
        case .release(let name):
            savepoints.release(name)
        case .rollbackTo(let name):
            let count = savepoints.rollback(to: name)
            observationBroker?.didRollBackToSavepoint(keeping: count)
            if hasChangedSchema { schemaDidChange() }
        case .schemaChange:
            schemaDidChange()
        case .attachment:
            findAttachedDatabases()
            schemaDidChange()
        case .pragma:
            // The journal mode may have changed.
            if statement.hasEffect { locateWALIndex() }
        case .commit, .rollback, .change, .reindex, .vacuum, .other: break
        }
        if attention.contains(.transaction), !isInsideTransaction { transactionDidEnd() }
        if isObserved { try observationBroker?.statementDidExecute(statement) }
    }

    private func checkExecution(of statement: Statement) throws {
        // A canceled access must be able to end the transaction that it has begun.
        if !statement.effect.isRollback { try cancellation?.check() }
        if isTransactionAbandoned { try endAbandonedTransaction() }
        try checkForAbortedTransaction(sql: statement.sql, arguments: statement.arguments)
        try checkForSuspension(
            isReadOnly: statement.isReadonly,
            sql: statement.sql,
            arguments: statement.arguments
        )
        guard readOnlyDepth > 0, !statement.mayRunReadOnly else { return }
        let message = "attempt to write a readonly database"
        var error = makeError(
            .SQLITE_READONLY,
            message: message,
            sql: statement.sql,
            arguments: statement.arguments
        )
        // The access rejects writes, whatever the permissions of the file.
        error.explanation = nil
        throw error
    }

    /// Throws `SQLITE_ABORT` if SQLite has rolled back the transaction of the current access.
    func checkForAbortedTransaction(
        sql: @autoclosure () -> String? = nil,
        arguments: @autoclosure () -> StatementArguments? = nil
    ) throws {
        guard isInsideTransactionBlock, sqlite3_get_autocommit(handle) != 0 else {
            return
        }
        throw makeError(
            .SQLITE_ABORT,
            message: "Transaction was aborted",
            sql: sql(),
            arguments: arguments()
        )
    }

    /// Returns the last error of SQLite on this connection.
    func lastError(sql: String? = nil, arguments: StatementArguments? = nil) -> DatabaseError {
        let message = lastErrorMessage
        let code = meaning(of: sqlite3_extended_errcode(handle), message)
        return makeError(code, message: message, sql: sql, arguments: arguments)
    }

    /// Returns the result code of an error, where SQLite only reports interrupts as `SQLITE_ERROR`.
    func meaning(of code: CInt, _ message: String?) -> ResultCode {
        guard code == SQLITE_ERROR, let message else { return ResultCode(rawValue: code) }
        // A table-valued pragma whose nested statement is interrupted only passes on the message.
        // The declaration of a virtual table, for example of FTS5, loses the code of the interrupt.
        let isInterrupt =
            message == "interrupted"
            || (cancellation?.isCancelled == true && message.hasPrefix("vtable constructor failed"))
        return isInterrupt ? .SQLITE_INTERRUPT : ResultCode(rawValue: code)
    }

    func makeError(
        _ code: ResultCode,
        message: String?,
        sql: String?,
        arguments: StatementArguments?
    ) -> DatabaseError {
        var error = DatabaseError(
            resultCode: code,
            message: message,
            sql: sql,
            arguments: arguments,
            publicStatementArguments: configuration.publicStatementArguments
        )
        error.explanation = OpeningFailure(path: path, isReadOnly: isReadOnlyConnection)
            .explanation(whileOpen: code)
        return error
    }
}
