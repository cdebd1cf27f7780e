extension Database {
    /// Runs one statement or several.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
    /// ```
    ///
    /// - Parameter sqlLiteral: Any number of statements, separated by semicolons.
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when arguments do not match.
    public func execute(literal sqlLiteral: SQL) throws {
        let (sql, arguments) = try sqlLiteral.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Prepares a statement, with the arguments of the literal.
    ///
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when arguments do not match, and when
    ///   there are several statements.
    public func makeStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Gives a statement that the connection keeps prepared, with the arguments of the literal.
    ///
    /// Without any, they are to be set: those of its last use may still be there.
    ///
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when arguments do not match, and when
    ///   there are several statements.
    public func cachedStatement(literal sqlLiteral: SQL) throws -> Statement {
        let (sql, arguments) = try sqlLiteral.build(self)
        let statement = try cachedStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Gives the statements of a literal one by one, with their arguments if it has any.
    ///
    /// - Throws: `SQLITE_MISUSE` when two parts name a parameter alike; mistakes in the SQL show
    ///   when the cursor comes to them.
    public func allStatements(literal sqlLiteral: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try sqlLiteral.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
