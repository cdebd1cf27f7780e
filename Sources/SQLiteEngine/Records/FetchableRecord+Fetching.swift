extension FetchableRecord {
    /// Returns a cursor over records, which is valid only during the access.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters, or if the adapter
    ///   does not match the columns.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(statement, arguments, adapter)
    }

    /// Fetches all records.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        let cursor = try RecordCursor<Self>(statement, arguments, adapter)
        var records: [Self] = []
        guard try cursor.steps.advance() else { return records }
        // Store the row in a local variable to avoid retrieving it from the cursor for each record.
        let row = try cursor.makeRow()
        repeat { records.append(try Self(row: row)) } while try cursor.steps.advance()
        return records
    }

    /// Fetches the first record, or returns `nil` if there is no row.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RecordCursor<Self>(statement, arguments, adapter).next()
    }

    /// Returns a cursor over the records of a query.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a query.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first record of a query.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Returns a cursor over the records of a request.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> RecordCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all records of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first record of a request.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchSet(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(RecordCursor<Self>(statement, arguments, adapter))
    }

    /// Fetches the distinct records of a query.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct records of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}
