import CSQLite

extension Database {
    /// Prepares a statement.
    ///
    /// - Parameter sql: One statement. White space, comments, and semicolons may surround it.
    /// - Returns: The statement, without arguments.
    /// - Throws: The error that SQLite reports for the SQL; `SQLITE_MISUSE` if there are several
    ///   statements.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Returns a statement that the connection keeps prepared.
    ///
    /// A connection keeps at most 256 such statements, which occupy at most 4 MiB. The least
    /// recently used statement is removed first. The methods that fetch from SQL text have a
    /// separate cache of the same size.
    ///
    /// A statement that was returned before still has its previous arguments. Do not keep a cursor
    /// over it beyond the access. While a statement is being iterated, this method returns another
    /// statement for the same SQL.
    public func cachedStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
        if let statement = statementCache.statement(sql: sql) { return statement }
        return try prepareCachedStatement(sql: sql)
    }

    /// Returns a statement for one fetch, which does not retain the statement or its arguments.
    @usableFromInline
    func fetchStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
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

    /// Returns a cursor over the statements in SQL text.
    ///
    /// The cursor prepares each statement when it reaches it.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all their parameters; nil if the caller sets them later.
    /// - Returns: A cursor over the statements.
    /// - Throws: No error. The cursor throws errors in the SQL when it reaches them.
    public func allStatements(
        sql: String,
        arguments: StatementArguments? = nil
    ) throws -> SQLStatementCursor {
        SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }

    /// Runs one or more statements.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all their parameters: positional values are used from left to
    ///     right, and named values may be used by several statements.
    /// - Throws: The error that SQLite reports for the SQL; `SQLITE_MISUSE` if the arguments do not
    ///   match.
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
        // Text that does not compile also counts as an additional statement.
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
    /// The largest number of parameters that a statement may have.
    public var maximumStatementArgumentCount: Int {
        Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
    }
}
