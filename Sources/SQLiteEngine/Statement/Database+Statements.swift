import CSQLite

extension Database {
    /// Prepares a statement.
    ///
    /// - Parameter sql: One statement, optionally surrounded by white space, comments, and
    ///   semicolons.
    /// - Returns: The statement, without arguments.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the SQL contains
    ///   several statements.
    public func makeStatement(sql: String) throws -> Statement {
        try makeStatement(sql: sql, flags: 0)
    }

    /// Returns a cached statement, or prepares and caches a new statement.
    ///
    /// A connection caches up to 256 statements with a total size of up to 4 MiB, and evicts the
    /// least recently used statement first. The methods that fetch from SQL text use a separate
    /// cache of the same size.
    ///
    /// A cached statement keeps the arguments of its last use. Do not use a cursor over it after
    /// the access ends. While a cursor iterates over a cached statement, this method returns
    /// a different statement for the same SQL.
    public func cachedStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
        if let statement = statementCache.statement(sql: sql) { return statement }
        return try prepareStatement(sql: sql, for: \.statementCache)
    }

    /// Returns a cached statement for a fetch that retains neither the statement nor its arguments.
    @usableFromInline
    func fetchStatement(sql: String) throws -> Statement {
        preconditionRightThread()
        discardOutdatedSchema()
        if let statement = fetchCache.statement(sql: sql) { return statement }
        return try prepareStatement(sql: sql, for: \.fetchCache)
    }

    @inline(never)
    private func prepareStatement(
        sql: String,
        for cache: ReferenceWritableKeyPath<Database, StatementCache>
    ) throws -> Statement {
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        self[keyPath: cache].insert(statement, sql: sql)
        return statement
    }

    /// Returns a cursor over the statements in SQL text.
    ///
    /// The cursor prepares each statement just before returning it.
    ///
    /// - Parameters:
    ///   - sql: Any number of statements, separated by semicolons.
    ///   - arguments: The values of all parameters, or `nil` if the caller sets them later.
    /// - Returns: A cursor over the statements.
    /// - Throws: This method throws no errors. The cursor throws an error when it reaches invalid
    ///   SQL.
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
    ///   - arguments: The values of all parameters. Statements consume positional values from left
    ///     to right, and can share named values.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters.
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
            throw DatabaseError(message: "empty statement", sql: sql)
        }
        // Treat trailing text that does not compile as another statement.
        let isLast: Bool
        do {
            isLast = try statements.next() == nil
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_MISUSE
        {
            isLast = false
        }
        guard isLast else {
            throw DatabaseError.misuse(
                """
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
    /// The maximum number of parameters in a statement.
    public var maximumStatementArgumentCount: Int {
        Int(sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, -1))
    }
}
