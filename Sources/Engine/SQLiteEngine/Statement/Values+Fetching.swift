import CSQLite

// Each method exists twice. A type that conforms to `StatementColumnConvertible` is read as SQLite
// converts it, so that the text "foo" is the integer 0. Code that is generic over
// `DatabaseValueConvertible` alone creates the value from a `DatabaseValue`, and reports text that
// is not a number as an error.

// These methods reset a statement immediately after its last required step. In autocommit mode, the
// read transaction therefore ends at the reset, not when the statement is released.

extension DatabaseValueConvertible {
    /// Fetches the first column of all rows.
    @inlinable
    @inline(__always)
    static func fetchAll(
        _ statement: Statement,
        _ arguments: StatementArguments?,
        _ adapter: (any RowAdapter)?,
        reading read: (SQLiteStatement, CInt) -> Self?
    ) throws -> [Self] {
        var values: [Self] = []
        guard try statement.executeToFirstRow(arguments) else { return values }
        let column = adapter == nil ? 0 : try statement.firstColumn(adapter)
        let pointer = statement.pointer
        repeat {
            guard let value = read(pointer, column) else {
                throw statement.endWithMismatch(Self.self, column: column)
            }
            values.append(value)
        } while try statement.continueStepping()
        return values
    }

    /// Fetches the first column of the first row.
    @inlinable
    @inline(__always)
    static func fetchOne(
        _ statement: Statement,
        _ arguments: StatementArguments?,
        _ adapter: (any RowAdapter)?,
        reading read: (SQLiteStatement, CInt) -> Self?
    ) throws -> Self? {
        guard try statement.executeToFirstRow(arguments) else { return nil }
        let column = adapter == nil ? 0 : try statement.firstColumn(adapter)
        let pointer = statement.pointer
        let value = read(pointer, column)
        if value == nil, sqlite3_column_type(pointer, column) != SQLITE_NULL {
            throw statement.endWithMismatch(Self?.self, column: column)
        }
        try statement.finishFirstRow()
        return value
    }

    /// Reads a column without SQLite's conversions.
    @inlinable
    static func convert(_ sqliteStatement: SQLiteStatement, _ index: CInt) -> Self? {
        fromDatabaseValue(DatabaseValue(sqliteStatement: sqliteStatement, index: index))
    }
}

extension DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column, which is valid only during the access.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try DatabaseValueCursor(statement, arguments, adapter, reading: convert)
    }

    /// Fetches the first column of all rows.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError`` if a value cannot be decoded.
    ///   `NULL` cannot be decoded unless `Self` is an optional.
    @inlinable
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(statement, arguments, adapter, reading: convert)
    }

    /// Fetches the first column of the first row, or returns `nil` if there is no row.
    ///
    /// The result is also `nil` if the value is `NULL`. If `arguments` is `nil`, the statement
    /// keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError`` if the value cannot be decoded.
    @inlinable
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(statement, arguments, adapter, reading: convert)
    }

    /// Returns a cursor over the values of a query's first column.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> DatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first column of all rows of a query.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first column of a query's first row.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Returns a cursor over the values of a request's first column.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> DatabaseValueCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all values of a request's first column.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first value of a request's first column.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: Hashable {
    /// Fetches the distinct values of the first column.
    @inlinable
    public static func fetchSet(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the distinct values of a query's first column.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct values of a request's first column.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Returns a cursor over the values of the first column, which is valid only during the access.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try DatabaseValueCursor(statement, arguments, adapter)
    }

    /// Fetches the first column of all rows.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError`` if a value cannot be decoded.
    ///   `NULL` cannot be decoded unless `Self` is an optional.
    @inlinable
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(statement, arguments, adapter, reading: { fromColumn($0, at: $1) })
    }

    /// Fetches the first column of the first row, or returns `nil` if there is no row.
    ///
    /// The result is also `nil` if the value is `NULL`. If `arguments` is `nil`, the statement
    /// keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or a ``RowDecodingError`` if the value cannot be decoded.
    @inlinable
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(statement, arguments, adapter, reading: { fromColumn($0, at: $1) })
    }

    /// Returns a cursor over the values of a query's first column.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> FastDatabaseValueCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first column of all rows of a query.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first column of a query's first row.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Returns a cursor over the values of a request's first column.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> FastDatabaseValueCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all values of a request's first column.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first value of a request's first column.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible & Hashable {
    /// Fetches the distinct values of the first column.
    @inlinable
    public static func fetchSet(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(fetchCursor(statement, arguments: arguments, adapter: adapter))
    }

    /// Fetches the distinct values of a query's first column.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct values of a request's first column.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}
