/// What an upsert does with the row that is in the way of the record.
public enum UpsertUpdateStrategy: Sendable {
    /// All columns that the record writes are updated, but for the primary key.
    case allColumns
    /// The row stays as it is.
    case noColumnUnlessSpecified
}

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that has its primary key, or another unique key.
    ///
    /// All columns that the record writes are updated, but for the primary key. The callbacks are
    /// those of an insertion. See <https://sqlite.org/lang_upsert.html>.
    ///
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public mutating func upsert(_ db: Database) throws {
        try upserting(db, onConflict: [], updating: .allColumns, returning: []) { _ in }
    }

    /// Inserts the record, or updates the row that is in its way; returns the row as a record.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictTarget: The columns of the key that may be violated; any key by default.
    ///   - strategy: What becomes of the row that is in the way.
    /// - Returns: The row.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public mutating func upsertAndFetch(
        _ db: Database,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy)
    }

    /// Inserts the record, or updates the row that is in its way; returns the row as a record of
    /// another type.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - returnedType: The type.
    ///   - conflictTarget: The columns of the key that may be violated; any key by default.
    ///   - strategy: What becomes of the row that is in the way.
    /// - Returns: The row.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        as returnedType: T.Type,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> T {
        try upserting(
            db,
            onConflict: conflictTarget,
            updating: strategy,
            returning: T.databaseSelection
        ) { try T(row: $0) }
    }
}

extension PersistableRecord {
    /// Inserts the record, or updates the row that has its primary key, or another unique key.
    ///
    /// All columns that the record writes are updated, but for the primary key. The callbacks are
    /// those of an insertion. See <https://sqlite.org/lang_upsert.html>.
    ///
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public func upsert(_ db: Database) throws {
        var record = self
        try record.upserting(db, onConflict: [], updating: .allColumns, returning: []) { _ in }
    }

    /// Inserts the record, or updates the row that is in its way; returns the row as a record.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictTarget: The columns of the key that may be violated; any key by default.
    ///   - strategy: What becomes of the row that is in the way.
    /// - Returns: The row.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public func upsertAndFetch(
        _ db: Database,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: Self.self, onConflict: conflictTarget, updating: strategy)
    }

    /// Inserts the record, or updates the row that is in its way; returns the row as a record of
    /// another type.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - returnedType: The type.
    ///   - conflictTarget: The columns of the key that may be violated; any key by default.
    ///   - strategy: What becomes of the row that is in the way.
    /// - Returns: The row.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        as returnedType: T.Type,
        onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns
    ) throws -> T {
        var record = self
        return try record.upserting(
            db,
            onConflict: conflictTarget,
            updating: strategy,
            returning: T.databaseSelection
        ) { try T(row: $0) }
    }
}
