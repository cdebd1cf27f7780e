import CSQLite

extension Database {
    /// Prepares a statement.
    ///
    /// - Parameter sql: One statement. White space, comments and semicolons may surround it.
    /// - Returns: The statement, without arguments.
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when there are several statements.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Gives a statement that the connection keeps prepared.
    ///
    /// A connection keeps at most 256 of them, which occupy at most 4 MiB; the one that was not used
    /// for longest makes room. The methods that fetch from SQL text have as many of their own.
    ///
    /// It may be one that was given before, with the arguments of then. Do not iterate a cursor of
    /// it and keep it beyond the access. A statement that is being iterated is not given twice:
    /// the caller gets another one.
    public func cachedStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        forgetOldSchema()
        if let statement = statementCache.statement(sql: sql) { return statement }
        return try prepareCachedStatement(sql: sql)
    }

    /// Gives a statement for one fetch, which keeps neither it nor its arguments.
    @usableFromInline
    func fetchStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        forgetOldSchema()
        if let statement = fetchCache.statement(sql: sql) { return statement }
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        fetchCache.insert(statement, sql: sql)
        return statement
    }

    @inline(never)
    private func prepareCachedStatement(sql: String) throws -> Statement {
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        statementCache.insert(statement, sql: sql)
        return statement
    }

    /// Gives the statements of an SQL text one by one, each prepared when the cursor comes to it.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all their parameters; nil when the caller sets them later.
    /// - Returns: A cursor over the statements.
    /// - Throws: Nothing: a mistake in the SQL shows when the cursor comes to it.
    public func allStatements(
        sql: String,
        arguments: StatementArguments? = nil
    ) throws -> SQLStatementCursor {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// Runs one statement or several.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all their parameters: positional ones are taken from left to
    ///     right, named ones may serve several statements.
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when the arguments do not match.
    public func execute(
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws {
        let statements = SQLStatementCursor(
            database: self,
            sql: sql,
            arguments: arguments.isEmpty ? nil : arguments
        )
        while let statement = try statements.next() {
            try statement.execute()
        }
    }

    private func makeStatement(sql: String, flags: UInt32) throws -> Statement {
        preconditionRightThread()
        let statements = SQLStatementCursor(database: self, sql: sql, arguments: nil, flags: flags)
        guard let statement = try statements.next() else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql)
        }
        // What follows may well not compile: it is one statement too many all the same.
        let isLast: Bool
        do {
            isLast = try statements.next() == nil
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_MISUSE
        {
            isLast = false
        }
        guard isLast else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Multiple statements found. To execute multiple statements, use \
                    Database.execute(sql:) or Database.allStatements(sql:) instead.
                    """,
                sql: sql
            )
        }
        return statement
    }
}

extension Database {
    /// The most parameters that a statement may have.
    public var maximumStatementArgumentCount: Int {
        Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
    }
}
