/// A query that can be kept, handed on, observed, and run on any connection.
///
/// ```swift
/// let best: SQLRequest<Player> = "SELECT * FROM player WHERE score >= \(least)"
/// let players = try pool.read { db in try best.fetchAll(db) }
/// ```
public protocol FetchRequest<RowDecoder>: DatabaseRegionConvertible {
    /// What a row is turned into: a record, a value, or ``Row``.
    associatedtype RowDecoder

    /// Prepares the query.
    ///
    /// - Parameters:
    ///   - db: The connection that will run it.
    ///   - singleResult: Whether only the first row is wanted. The request may use it to ask for
    ///     less.
    /// - Returns: A statement with its arguments.
    /// - Throws: What SQLite says of the SQL; `SQLITE_MISUSE` when arguments do not match.
    func makePreparedRequest(
        _ db: Database,
        forSingleResult singleResult: Bool
    ) throws -> PreparedRequest

    /// How many rows the query has.
    func fetchCount(_ db: Database) throws -> Int
}

extension FetchRequest {
    /// What the query reads.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try makePreparedRequest(db, forSingleResult: false).statement.databaseRegion
    }

    /// The same query, whose rows are presented in another way.
    public func adapted(
        _ adapter: @escaping @Sendable (Database) throws -> any RowAdapter
    ) -> AdaptedFetchRequest<Self> {
        AdaptedFetchRequest(base: self, adapter: adapter)
    }
}

/// A query that is ready to run on one connection.
public struct PreparedRequest {
    /// The statement, with its arguments.
    public var statement: Statement
    /// How the rows present the columns.
    public var adapter: (any RowAdapter)?

    /// Creates a prepared query.
    public init(statement: Statement, adapter: (any RowAdapter)? = nil) {
        self.statement = statement
        self.adapter = adapter
    }
}

@available(*, unavailable)
extension PreparedRequest: Sendable {}

/// A query whose rows are presented in another way.
public struct AdaptedFetchRequest<Base: FetchRequest>: FetchRequest {
    /// What a row is turned into.
    public typealias RowDecoder = Base.RowDecoder

    let base: Base
    let adapter: @Sendable (Database) throws -> any RowAdapter

    /// How many rows the query has.
    public func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }

    /// Prepares the query; the adapter comes behind the one that it has.
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
