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
