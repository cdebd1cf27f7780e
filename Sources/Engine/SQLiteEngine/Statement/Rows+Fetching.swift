extension Row {
    /// Returns a cursor over rows, which is valid only during the access.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters, or if the adapter
    ///   does not match the columns.
    public static func fetchCursor(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try RowCursor(statement, arguments, adapter)
    }

    /// Fetches copies of all rows.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        var rows: [Row] = []
        try forEachCopy(of: statement, arguments, adapter: adapter) { rows.append($0) }
        return rows
    }

    /// Fetches copies of the distinct rows.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    public static func fetchSet(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        var rows: Set<Row> = []
        try forEachCopy(of: statement, arguments, adapter: adapter) { rows.insert($0) }
        return rows
    }

    /// Fetches a copy of the first row, or returns `nil` if there is no row.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        _ = try adapter?.layout(from: statement.layout)
        guard try statement.executeToFirstRow(arguments) else { return nil }
        let base = statement.layout
        let buffer = RowBuffer.copy(statement.pointer, count: base.count)
        try statement.finishFirstRow()
        return Row(buffer: buffer, layout: try adapter?.layout(from: base) ?? base)
    }

    /// Returns a cursor over the rows of a query.
    public static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RowCursor {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all rows of a query.
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Row] {
        try fetchAll(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct rows of a query.
    public static func fetchSet(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Row> {
        try fetchSet(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first row of a query.
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Row? {
        try fetchOne(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Returns a cursor over the rows of a request.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> RowCursor {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all rows of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Row] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first row of a request.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Row? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }

    /// Fetches the distinct rows of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Row> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }

    @inline(__always)
    private static func forEachCopy(
        of statement: Statement,
        _ arguments: StatementArguments?,
        adapter: (any RowAdapter)?,
        _ body: (Row) -> Void
    ) throws {
        // Throw before the statement runs if the adapter maps an unknown column.
        _ = try adapter?.layout(from: statement.layout)
        guard try statement.executeToFirstRow(arguments) else { return }
        let base = statement.layout
        let layout: RowLayout
        do {
            layout = try adapter?.layout(from: base) ?? base
        } catch {
            statement.abandon()
            throw error
        }
        var copier = RowCopier(statement, columnCount: base.count, layout: layout)
        repeat {
            body(copier.copy())
        } while try statement.continueStepping()
    }
}
