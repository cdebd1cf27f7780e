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
