/// A request written in SQL.
///
/// ```swift
/// extension Player {
///     static func named(_ name: String) -> SQLRequest<Player> {
///         "SELECT * FROM player WHERE name = \(name)"
///     }
/// }
/// ```
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// The adapter that maps the columns of the rows.
    public var adapter: (any RowAdapter)?

    let literal: SQL
    private let isCached: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - sqlLiteral: One query with its arguments.
    ///   - adapter: The adapter that maps the columns of the rows.
    ///   - cached: Whether the connection caches the statement. Do not use a cursor over a cached
    ///     statement after the access ends.
    public init(
        literal sqlLiteral: SQL,
        adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        literal = sqlLiteral
        self.adapter = adapter
        isCached = cached
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - sql: One query.
    ///   - arguments: The values of all parameters.
    ///   - adapter: The adapter that maps the columns of the rows.
    ///   - cached: Whether the connection caches the statement.
    public init(
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Returns the number of rows that the query returns.
    public func fetchCount(_ db: Database) throws -> Int {
        let count: SQL = "SELECT COUNT(*) FROM (\(literal: literal))"
        return try Int.fetchOne(db.makeStatement(literal: count)) ?? 0
    }

    /// Prepares the query.
    public func makePreparedRequest(
        _ db: Database,
        forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        let (sql, arguments) = try literal.build(db)
        let statement = try isCached ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        try statement.setArguments(arguments)
        return PreparedRequest(statement: statement, adapter: adapter)
    }
}

extension SQLRequest where RowDecoder == Row {
    /// Creates a request for rows.
    public init(
        literal sqlLiteral: SQL,
        adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        literal = sqlLiteral
        self.adapter = adapter
        isCached = cached
    }

    /// Creates a request for rows.
    public init(
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil,
        cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    /// Creates a request from plain SQL.
    public init(stringLiteral: String) {
        self.init(literal: SQL(sql: stringLiteral), adapter: nil, cached: false)
    }

    /// Creates a request from a literal with interpolations.
    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self.init(literal: sqlInterpolation.literal, adapter: nil, cached: false)
    }
}
