import CSQLite

extension Statement {
    /// Runs the statement to completion and discards its rows.
    ///
    /// - Parameter arguments: The values of all parameters, or `nil` to keep the current arguments.
    /// - Throws: A ``DatabaseError``.
    public func execute(arguments: StatementArguments? = nil) throws {
        guard let arguments, parameterCount > 0, parameterCount <= Self.borrowedParameterLimit
        else {
            try prepareExecution(arguments)
            return try executeAllSteps()
        }
        countExecution()
        try executeBorrowing(arguments)
    }

    /// The maximum number of parameters for which SQLite borrows text and blobs instead of copying
    /// them.
    ///
    /// Each borrowed parameter uses a few stack frames.
    private static var borrowedParameterLimit: Int { 20 }

    func executeAllSteps() throws {
        let database = database
        try database.statementWillExecute(self)
        willStep()
        var tries = 0
        while true {
            switch step() {
            case SQLITE_DONE:
                reset()
                try database.statementDidExecute(self)
                return
            case SQLITE_ROW:
                continue
            case let code
            where code & 0xff == SQLITE_INTERRUPT && effect.isRollback
                && tries < Database.maximumRollbackCount:
                // An interrupt must not keep the transaction open.
                reset()
                database.resetStatements()
                tries += 1
                willStep()
            case let code:
                throw database.statementDidFail(self, code: code)
            }
        }
    }

    /// Ends the current execution, if any, and binds the arguments for the next execution.
    @usableFromInline
    func prepareExecution(_ arguments: consuming StatementArguments?) throws {
        countExecution()
        if let arguments {
            try assign(arguments)
        } else {
            if isStepped { reset() }
            if !areArgumentsBound { try setArguments(storedArguments) }
        }
    }

    /// Executes the statement up to the first row.
    ///
    /// - Returns: Whether the step produced a row. If so, the caller must end the execution, for
    ///   example with ``finishFirstRow()``.
    @usableFromInline
    func executeToFirstRow(_ arguments: consuming StatementArguments?) throws -> Bool {
        try prepareExecution(arguments)
        return try startStepping()
    }

    /// Ends an execution after the first row.
    ///
    /// - Throws: The error from the commit that a reset performs in autocommit mode.
    @usableFromInline
    func finishFirstRow() throws {
        let code = reset()
        let database = database
        guard code == SQLITE_OK else { throw database.statementDidFail(self, code: code) }
        try database.statementDidExecute(self)
    }

    /// Performs the first step of an execution, and returns whether the step produced a row.
    @usableFromInline
    func startStepping() throws -> Bool {
        let database = database
        try database.statementWillExecute(self)
        willStep()
        return try finishStep(step(), database)
    }

    /// Performs the next step, and returns whether the step produced a row.
    @usableFromInline
    func continueStepping() throws -> Bool {
        let code = step()
        if code == SQLITE_ROW { return true }
        return try finishStep(code, database)
    }

    /// Ends an unfinished execution in a context that cannot throw an error.
    @usableFromInline
    func abandon() {
        guard isStepped else { return }
        let code = reset()
        let database = database
        if code == SQLITE_OK {
            try? database.statementDidExecute(self)
        } else {
            _ = database.statementDidFail(self, code: code)
        }
    }

    @inline(__always)
    private func step() -> CInt {
        probe.beginStep(number)
        let code = sqlite3_step(pointer)
        probe.endStep(of: self)
        return code
    }

    @inline(__always)
    private func finishStep(_ code: CInt, _ database: Database) throws -> Bool {
        switch code {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            reset()
            try database.statementDidExecute(self)
            return false
        default:
            throw database.statementDidFail(self, code: code)
        }
    }
}

extension Statement {
    /// Returns the error for a cursor whose statement the engine has reset to end a transaction.
    func resetError() -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "the transaction of the cursor has ended",
            sql: sql
        )
    }

    /// Returns the error for a cursor whose statement has been executed by another call.
    func reexecutionError() -> DatabaseError {
        DatabaseError.misuse(
            "the statement was executed again while a cursor iterated over it",
            sql: sql
        )
    }
}

extension Statement {
    @usableFromInline
    func endWithMismatch(_ type: any Any.Type, _ column: CInt) -> any Error {
        defer { abandon() }
        return mismatch(type, column)
    }

    /// Returns the error for a column whose value cannot be decoded.
    @usableFromInline
    func mismatch(_ type: any Any.Type, _ column: CInt) -> any Error {
        // If SQLite runs out of memory while it converts a value, it returns `NULL`.
        let database = database
        if sqlite3_errcode(database.handle) == SQLITE_NOMEM {
            return database.lastError(sql: sql, arguments: arguments)
        }
        return RowDecodingError.valueMismatch(type, statement: self, index: Int(column))
    }
}
