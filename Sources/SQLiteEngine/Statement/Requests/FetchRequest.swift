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
