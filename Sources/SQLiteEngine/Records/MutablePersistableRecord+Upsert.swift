/// The strategy that an upsert uses to update a conflicting row.
public enum UpsertUpdateStrategy: Sendable {
    /// Updates all columns that the record writes, except the primary key.
    case allColumns
    /// Leaves the row unchanged.
    case noColumnUnlessSpecified
}

extension MutablePersistableRecord {
    /// Inserts the record, or updates the existing row with the same primary key or unique key.
    ///
    /// An update changes all columns that the record writes, except the primary key. This method
    /// calls the insertion callbacks. See <https://sqlite.org/lang_upsert.html>.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public mutating func upsert(_ db: Database) throws {
        try performUpsert(db)
    }

    /// Inserts the record or updates the conflicting row, and returns the row as a record.
    ///
    /// `conflictTarget` contains the columns of the unique key to check for a conflict. If the
    /// array is empty, SQLite checks all keys.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public mutating func upsertAndFetch(
        _ db: Database,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy)
    }

    /// Inserts the record or updates the conflicting row, and returns the row as a record of
    /// another type.
    ///
    /// `conflictTarget` contains the columns of the unique key to check for a conflict. If the
    /// array is empty, SQLite checks all keys.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        as returnedType: T.Type,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> T {
        try performUpsert(
            db,
            conflictTarget,
            strategy,
            returning: T.databaseSelection,
            T.init(row:)
        )
    }
}

extension PersistableRecord {
    /// Inserts the record, or updates the existing row with the same primary key or unique key.
    ///
    /// An update changes all columns that the record writes, except the primary key. This method
    /// calls the insertion callbacks. See <https://sqlite.org/lang_upsert.html>.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public func upsert(_ db: Database) throws {
        var record = self
        try record.performUpsert(db)
    }

    /// Inserts the record or updates the conflicting row, and returns the row as a record.
    ///
    /// `conflictTarget` contains the columns of the unique key to check for a conflict. If the
    /// array is empty, SQLite checks all keys.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public func upsertAndFetch(
        _ db: Database,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy)
    }

    /// Inserts the record or updates the conflicting row, and returns the row as a record of
    /// another type.
    ///
    /// `conflictTarget` contains the columns of the unique key to check for a conflict. If the
    /// array is empty, SQLite checks all keys.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        as returnedType: T.Type,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> T {
        var record = self
        return try record.performUpsert(
            db,
            conflictTarget,
            strategy,
            returning: T.databaseSelection
        ) {
            try T(row: $0)
        }
    }
}
