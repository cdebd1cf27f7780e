import CSQLite

/// What each execution of a statement passes through.
extension Database {
    /// Called before the first step of an execution.
    ///
    /// - Throws: `SQLITE_ABORT` inside a transaction that was lost, `SQLITE_READONLY` for a
    ///   statement that writes where writing is refused.
    @inline(__always)
    func statementWillExecute(_ statement: Statement) throws {
        if isInsideTransactionBlock || readOnlyDepth > 0 || cancellation != nil || suspension.isOn {
            try checkExecution(of: statement)
        }
    }

    /// Called when an execution is done.
    @inline(__always)
    func statementDidExecute(_ statement: Statement) {
        if sqlite3_get_autocommit(sqliteConnection) != 0 { openTransactionDate = nil }
    }

    /// Called when a step failed: counts what the probes want to know, and makes the error.
    func statementDidFail(_ statement: Statement, code: CInt) -> DatabaseError {
        let error = DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
            message: lastErrorMessage,
            sql: statement.sql,
            arguments: statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments
        )
        statement.reset()
        probe.didFail(code)
        return error
    }

    private func checkExecution(of statement: Statement) throws {
        try cancellation?.check()
        try checkForAbortedTransaction(sql: statement.sql, arguments: statement.arguments)
        try checkForSuspension(
            isReadOnly: statement.isReadonly,
            sql: statement.sql,
            arguments: statement.arguments
        )
        guard readOnlyDepth > 0, !statement.mayRunReadOnly else { return }
        throw DatabaseError(
            resultCode: .SQLITE_READONLY,
            message: "attempt to write a readonly database",
            sql: statement.sql,
            arguments: statement.arguments,
            publicStatementArguments: configuration.publicStatementArguments
        )
    }

    /// Throws `SQLITE_ABORT` when the transaction that wraps the current access was lost.
    func checkForAbortedTransaction(
        sql: @autoclosure () -> String? = nil,
        arguments: @autoclosure () -> StatementArguments? = nil
    ) throws {
        guard isInsideTransactionBlock, sqlite3_get_autocommit(sqliteConnection) != 0 else {
            return
        }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "Transaction was aborted",
            sql: sql(),
            arguments: arguments(),
            publicStatementArguments: configuration.publicStatementArguments
        )
    }
}
