extension Database {
    /// Runs one or more statements.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
    /// ```
    ///
    /// - Parameter sqlLiteral: Any number of statements, separated by semicolons.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Prepares a statement with the arguments of the literal.
    ///
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters or the SQL contains several statements.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cached or new statement with the arguments of the literal.
    ///
    /// If the literal has no arguments, the statement may still have the arguments of its last use.
    /// Set the arguments before you execute the statement.
    ///
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters or the SQL contains several statements.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cursor over the statements of a literal, with the literal's arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if two parts use the same parameter name. The cursor throws an
    ///   error when it reaches invalid SQL.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
