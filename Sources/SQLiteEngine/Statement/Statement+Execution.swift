import CSQLite

extension Statement {
    /// Runs the statement to its end, and throws its rows away.
    ///
    /// - Parameter arguments: The values of all its parameters; those that were set by default.
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

    /// How many texts and blobs are lent to SQLite at most: each one takes a few stack frames.
    private static var borrowedParameterLimit: Int { 20 }

    func executeAllSteps() throws {
        let database = database
        try database.statementWillExecute(self)
        isStepped = true
        while true {
            switch step() {
            case SQLITE_DONE:
                reset()
                try database.statementDidExecute(self)
                return
            case SQLITE_ROW:
                continue
            case let code:
                throw database.statementDidFail(self, code: code)
            }
        }
    }

    /// Ends an execution that is under way, and binds the arguments of the next.
    @usableFromInline
    func prepareExecution(_ arguments: StatementArguments?) throws {
        countExecution()
        if let arguments {
            try setArguments(arguments)
        } else {
            if isStepped { reset() }
            if !areArgumentsBound { try setArguments(storedArguments) }
        }
    }

    /// Executes the statement up to its first row.
    ///
    /// - Returns: Whether there is a row. Then ``finishFirstRow()`` must follow.
    @usableFromInline
    func executeToFirstRow(_ arguments: StatementArguments?) throws -> Bool {
        try prepareExecution(arguments)
        return try startStepping()
    }

    /// Ends an execution after the first row.
    ///
    /// - Throws: What a commit throws: in autocommit mode, the reset brings it.
    @usableFromInline
    func finishFirstRow() throws {
        let code = reset()
        let database = database
        guard code == SQLITE_OK else { throw database.statementDidFail(self, code: code) }
        try database.statementDidExecute(self)
    }

    /// Takes the first step of an execution; returns whether there is a row.
    @usableFromInline
    func startStepping() throws -> Bool {
        let database = database
        try database.statementWillExecute(self)
        isStepped = true
        return try finishStep(step(), database)
    }

    /// Takes another step; returns whether there is a row.
    @usableFromInline
    func continueStepping() throws -> Bool {
        let code = step()
        if code == SQLITE_ROW { return true }
        return try finishStep(code, database)
    }

    /// Ends an execution that has not come to its end, as far as that can fail in silence.
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
