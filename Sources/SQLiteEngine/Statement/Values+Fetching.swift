import CSQLite

// A statement is reset right after its last step that matters: the read transaction that a
// statement opens in autocommit mode ends there, not when somebody lets go of the statement.

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Fetches the first column of the first row.
    ///
    /// - Parameters:
    ///   - statement: A statement with a result.
    ///   - arguments: The values of all its parameters; those that were set by default.
    /// - Returns: Nil for NULL, and when there is no row.
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError``.
    @inlinable
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil
    ) throws -> Self? {
        guard try statement.executeToFirstRow(arguments) else { return nil }
        let pointer = statement.sqliteStatement
        guard let value = fromStatement(pointer, atUncheckedIndex: 0) else {
            if sqlite3_column_type(pointer, 0) != SQLITE_NULL {
                throw statement.endWithMismatch(Self.self, index: 0)
            }
            try statement.finishFirstRow()
            return nil
        }
        try statement.finishFirstRow()
        return value
    }

    /// Fetches the first column of all rows.
    ///
    /// - Parameters:
    ///   - statement: A statement with a result.
    ///   - arguments: The values of all its parameters; those that were set by default.
    /// - Returns: The values; NULL is an error, unless `Self` is an optional.
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError``.
    @inlinable
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil
    ) throws -> [Self] {
        var values: [Self] = []
        guard try statement.executeToFirstRow(arguments) else { return values }
        let pointer = statement.sqliteStatement
        repeat {
            guard let value = fromStatement(pointer, atUncheckedIndex: 0) else {
                throw statement.endWithMismatch(Self.self, index: 0)
            }
            values.append(value)
        } while try statement.continueStepping()
        return values
    }

    /// Fetches the first column of the first row of a query.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        try fetchOne(db.makeStatement(sql: sql), arguments: arguments)
    }

    /// Fetches the first column of all rows of a query.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try fetchAll(db.makeStatement(sql: sql), arguments: arguments)
    }
}

extension Statement {
    /// Ends an execution whose row cannot be decoded, and makes the error.
    @usableFromInline
    func endWithMismatch(_ type: any Any.Type, index: Int) -> RowDecodingError {
        let error = RowDecodingError.valueMismatch(type, statement: self, index: index)
        abandon()
        return error
    }
}
