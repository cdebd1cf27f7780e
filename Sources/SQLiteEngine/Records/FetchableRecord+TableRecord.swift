extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over all records of the table.
    @inlinable
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, .all))
    }

    /// Fetches all records of the table.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try fetchAll(selection(db, .all))
    }

    /// Fetches the first record of the table, or returns `nil` if the table is empty.
    @inlinable
    public static func fetchOne(_ db: Database) throws -> Self? {
        try fetchOne(selection(db, .all, limit: 1))
    }

    /// Returns a cursor over the records with the given primary keys, in no particular order.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, KeyFilter(db, table: databaseTableName, keys: keys)))
    }

    /// Fetches the records with the given primary keys, in no particular order.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try fetchAll(selection(db, KeyFilter(db, table: databaseTableName, keys: keys)))
    }

    /// Fetches the record with the given primary key, or returns `nil` if there is none.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) throws -> Self? {
        if key.databaseValue.isNull { return nil }
        let statement = try selection(db, KeyFilter(db, table: databaseTableName, keys: [key]))
        guard db.recordsSelection else { return try fetchOne(statement) }
        return try db.recordingRow(key.databaseValue, of: databaseTableName, statement) {
            try fetchOne(statement)
        }
    }

    /// Fetches the record with the given primary key.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(db, key: key)
    }

    /// Returns a cursor over the records that match any of the given dictionaries of column values.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, KeyFilter(table: databaseTableName, keys: keys)))
    }

    /// Fetches the records that match any of the given dictionaries of column values, in no
    /// particular order.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try fetchAll(selection(db, KeyFilter(table: databaseTableName, keys: keys)))
    }

    /// Fetches a record that matches a dictionary of column values, or returns `nil` if there is
    /// none.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]?
    ) throws -> Self? {
        guard let key else { return nil }
        return try fetchOne(
            selection(db, KeyFilter(table: databaseTableName, keys: [key]), limit: 1)
        )
    }

    /// Fetches a record that matches a dictionary of column values.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(key: key)
    }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the records with the given identifiers, in no particular order.
    @inlinable
    public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }

    /// Fetches the record with the given identifier, or returns `nil` if there is none.
    @inlinable
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Fetches the record with the given identifier.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(_ db: Database, id: ID) throws -> Self {
        try find(db, key: id)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the distinct records of the table.
    @inlinable
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try fetchSet(selection(db, .all))
    }

    /// Fetches the distinct records with the given primary keys.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Set<Self> {
        if keys.isEmpty { return [] }
        return try fetchSet(selection(db, KeyFilter(db, table: databaseTableName, keys: keys)))
    }
}
