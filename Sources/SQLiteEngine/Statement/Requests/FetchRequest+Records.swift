extension FetchableRecord {
    /// Returns a cursor over the records of a request.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> RecordCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all records of a request.
    public static func fetchAll(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first record of a request.
    public static func fetchOne(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records of a request.
    public static func fetchSet(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
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
