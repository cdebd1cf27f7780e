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

/// A query that can be stored, passed to other code, observed, and executed on any connection.
///
/// ```swift
/// let best: SQLRequest<Player> = "SELECT * FROM player WHERE score >= \(minimumScore)"
/// let players = try pool.read { db in try best.fetchAll(db) }
/// ```
public protocol FetchRequest<RowDecoder>: DatabaseRegionConvertible {
    /// The type of each decoded row: a record, a value, or ``Row``.
    associatedtype RowDecoder

    /// Prepares the query.
    ///
    /// - Parameters:
    ///   - db: The connection that runs the query.
    ///   - singleResult: Whether the caller needs only the first row. If so, the request may limit
    ///     its query.
    /// - Returns: A statement with its arguments.
    /// - Throws: The error that SQLite reports for the SQL, or `SQLITE_MISUSE` if the arguments do
    ///   not match the parameters.
    func makePreparedRequest(
        _ db: Database,
        forSingleResult singleResult: Bool
    ) throws -> PreparedRequest

    /// Returns the number of rows that the query returns.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    /// Returns the region that the query reads.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.databaseRegion
    }

    /// Returns the same query with an adapter for its rows.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// A query that is ready to execute on one connection.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement
    /// The adapter that maps the columns of the rows.
    public var adapter: (any RowAdapter)?

    /// Creates a prepared query.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }
}

@available(*, unavailable)
extension PreparedRequest: Sendable {}

/// A query with an adapter for its rows.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    /// The type of each decoded row.
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    /// Returns the number of rows that the query returns.
    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// Prepares the query.
    ///
    /// The result applies this request's adapter after the base request's adapter.
    public func makePreparedRequest(
        _ db: Database,
        forSingleResult singleResult: Bool = false
    ) throws -> PreparedRequest {
        var request = try base.makePreparedRequest(db, forSingleResult: singleResult)
        let second = try adapter(db)
        request.adapter =
            request.adapter.map { ChainedAdapter(first: $0, second: second) } ?? second
        return request
    }
}

extension FetchRequest where RowDecoder == Row {
    /// Returns a cursor over the rows.
    public func fetchCursor(_ db: Database) throws -> RowCursor {
        try Row.fetchCursor(db, self)
    }

    /// Fetches all rows.
    public func fetchAll(_ db: Database) throws -> [Row] { try Row.fetchAll(db, self) }

    /// Fetches the first row.
    public func fetchOne(_ db: Database) throws -> Row? { try Row.fetchOne(db, self) }

    /// Fetches the distinct rows.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try Row.fetchSet(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all values of the first column.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Fetches the first value of the first column.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: DatabaseValueConvertible & Hashable {
    /// Fetches the distinct values of the first column.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

// The compiler chooses these methods for types that it knows to be read as SQLite converts them.

extension FetchRequest where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible {
    /// Returns a cursor over the values of the first column.
    public func fetchCursor(_ db: Database) throws -> FastDatabaseValueCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all values of the first column.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Fetches the first value of the first column.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest
where RowDecoder: DatabaseValueConvertible & StatementColumnConvertible & Hashable {
    /// Fetches the distinct values of the first column.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}

extension FetchRequest where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(db, self)
    }

    /// Fetches all records.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] {
        try RowDecoder.fetchAll(db, self)
    }

    /// Fetches the first record.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try RowDecoder.fetchOne(db, self) }
}

extension FetchRequest where RowDecoder: FetchableRecord & Hashable {
    /// Fetches the distinct records.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> {
        try RowDecoder.fetchSet(db, self)
    }
}
