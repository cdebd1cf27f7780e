extension Row {
    /// Returns a cursor over the rows of a request.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> RowCursor {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all rows of a request.
    public static func fetchAll(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> [Row] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first row of a request.
    public static func fetchOne(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> Row? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }

    /// Fetches the distinct rows of a request.
    public static func fetchSet(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> Set<Row> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
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
