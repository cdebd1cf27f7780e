/// A record that can be inserted, updated, and deleted, and that can be modified when it is
/// inserted.
///
/// A structure can store its new rowid in ``didInsert(_:)``:
///
/// ```swift
/// mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// ```
///
/// Each operation calls `will`, `around`, and `did` callbacks. Insertions and updates also call the
/// save callbacks. For example, an insertion calls `willSave` first and `didSave` last. In between,
/// `aroundSave` encloses `willInsert`, `aroundInsert`, and `didInsert`, and `aroundInsert` encloses
/// the statement. If a callback or the statement throws an error, no more callbacks run.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// The default conflict resolution policy.
    ///
    /// By default, a conflict is an error.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the record is inserted.
    mutating func willInsert(_ db: Database) throws

    /// Called around the insertion. The method must call `insert` and rethrow its error.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called after the record is inserted.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called around the update. The method must call `update` and rethrow its error.
    func aroundUpdate(
        _ db: Database,
        columns: Set<String>,
        update: () throws -> PersistenceSuccess
    ) throws

    /// Called after the record is updated.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the record is inserted or updated.
    func willSave(_ db: Database) throws

    /// Called around the insertion or the update. The method must call `save` and rethrow its
    /// error.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called after the record is inserted or updated.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the record is deleted.
    func willDelete(_ db: Database) throws

    /// Called around the deletion. The method must call `delete` and rethrow its error.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called after the deletion.
    ///
    /// - Parameter deleted: `false` if the table contained no row for the record.
    func didDelete(deleted: Bool)
}

/// The result of an insertion.
public struct InsertionSuccess {
    /// The rowid of the row.
    public var rowID: Int64

    /// The column that is an alias for the rowid, or `nil` if there is none.
    public var rowIDColumn: String?

    /// The inserted values, including the rowid if a column is an alias for it.
    public var persistenceContainer: PersistenceContainer
}

/// The result of an update or a save.
public struct PersistenceSuccess {
    /// The values of the record.
    public var persistenceContainer: PersistenceContainer
}

extension MutablePersistableRecord {
    /// The policy that treats a conflict as an error.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy {
        PersistenceConflictPolicy()
    }

    /// Does nothing.
    public mutating func willInsert(_ db: Database) throws {}

    /// Inserts the record.
    public func aroundInsert(
        _ db: Database,
        insert: () throws -> InsertionSuccess
    ) throws {
        _ = try insert()
    }

    /// Does nothing.
    public mutating func didInsert(_ inserted: InsertionSuccess) {}

    /// Does nothing.
    public func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Updates the record.
    public func aroundUpdate(
        _ db: Database,
        columns: Set<String>,
        update: () throws -> PersistenceSuccess
    ) throws {
        _ = try update()
    }

    /// Does nothing.
    public func didUpdate(_ updated: PersistenceSuccess) {}

    /// Does nothing.
    public func willSave(_ db: Database) throws {}

    /// Saves the record.
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
    }

    /// Does nothing.
    public func didSave(_ saved: PersistenceSuccess) {}

    /// Does nothing.
    public func willDelete(_ db: Database) throws {}

    /// Deletes the record.
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
    }

    /// Does nothing.
    public func didDelete(deleted: Bool) {}
}

extension Database {
    /// The way that SQLite resolves a constraint violation.
    ///
    /// See <https://sqlite.org/lang_conflict.html>.
    public enum ConflictResolution: String, Sendable {
        /// The transaction is rolled back.
        case rollback = "ROLLBACK"
        /// The statement is rolled back.
        case abort = "ABORT"
        /// The statement ends, and its previous changes are kept.
        case fail = "FAIL"
        /// The row is skipped.
        case ignore = "IGNORE"
        /// The conflicting rows are deleted.
        case replace = "REPLACE"
    }
}

/// The default conflict resolutions for a record type.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution for an insertion that violates a constraint.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The resolution for an update that violates a constraint.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy.
    ///
    /// By default, a conflict is an error.
    public init(
        insert: Database.ConflictResolution = .abort,
        update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}

extension Database.ConflictResolution {
    /// The conflict clause after `INSERT` or `UPDATE`.
    var clause: String { self == .abort ? "" : " OR \(rawValue)" }
}

/// A record that can be inserted, updated, and deleted without being modified.
///
/// Use this protocol for classes, and for structures whose primary key is set before insertion.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the record is inserted.
    func willInsert(_ db: Database) throws

    /// Called after the record is inserted.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    /// Does nothing.
    public func willInsert(_ db: Database) throws {}

    /// Does nothing.
    public func didInsert(_ inserted: InsertionSuccess) {}

    /// Inserts the record.
    ///
    /// If `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public func insert(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.performInsert(db, resolution: conflictResolution)
    }

    /// Updates the record's row, or inserts the record if no row has the record's primary key.
    ///
    /// If `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public func save(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.performSave(db, resolution: conflictResolution)
    }
}

extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// If `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public mutating func insert(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try performInsert(db, resolution: conflictResolution)
    }

    /// Inserts a copy of the record and returns the copy.
    public func inserted(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var result = self
        try result.insert(db, onConflict: conflictResolution)
        return result
    }

    /// Updates the record's row.
    ///
    /// If `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row has the record's
    ///   primary key, a ``DatabaseError``, or an error from a callback.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try performUpdate(db, resolution: conflictResolution)
    }

    /// Updates the given columns of the record's row.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try performUpdate(db, resolution: conflictResolution, columns: Set(columns))
    }

    /// Updates the given columns of the record's row.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<some ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates the columns that differ from another record.
    ///
    /// - Returns: Whether any column differs.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        from record: Record
    ) throws -> Bool {
        try performUpdateOfChanges(
            db,
            resolution: conflictResolution,
            from: PersistenceContainer(record)
        )
            != nil
    }

    /// Modifies the record and updates the changed columns.
    ///
    /// - Returns: Whether any column has changed.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let before = try PersistenceContainer(self)
        try modify(&self)
        return try performUpdateOfChanges(db, resolution: conflictResolution, from: before) != nil
    }

    /// Updates the record's row, or inserts the record if no row has the record's primary key.
    ///
    /// If `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback.
    public mutating func save(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try performSave(db, resolution: conflictResolution)
    }

    /// Saves a copy of the record and returns the copy.
    public func saved(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var result = self
        try result.save(db, onConflict: conflictResolution)
        return result
    }

    /// Deletes the record's row and returns whether the row existed.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool { try performDelete(db) }

    /// Returns whether a row has the record's primary key.
    public func exists(_ db: Database) throws -> Bool {
        guard let statement = try RecordStatements(db, self).existenceQuery() else { return false }
        return try Bool.fetchOne(statement) ?? false
    }

    /// Returns the error for a primary key that matches no row.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            return try RecordStatements(db, self).notFound
        } catch {
            return error
        }
    }
}

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
            target: conflictTarget,
            strategy: strategy,
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
            target: conflictTarget,
            strategy: strategy,
            returning: T.databaseSelection
        ) {
            try T(row: $0)
        }
    }
}
