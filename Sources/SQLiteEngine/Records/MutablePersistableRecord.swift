/// A record that can be inserted, updated and deleted, and that may change when it is inserted.
///
/// A structure learns its new rowid in ``didInsert(_:)``:
///
/// ```swift
/// mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
/// ```
///
/// Each operation calls will…, around… and did… of its own, and insertions and updates also those
/// of saving: `willSave`, then inside `aroundSave` first `willInsert`, then inside `aroundInsert`
/// the statement, then `didInsert`; at last `didSave`. An error ends all of it.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// How conflicts are resolved, unless a call says otherwise; they are errors by default.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the record is inserted.
    mutating func willInsert(_ db: Database) throws

    /// Called around the insertion: must call `insert`, and throw what it throws.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called when the record has been inserted.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called around the update: must call `update`, and throw what it throws.
    func aroundUpdate(
        _ db: Database,
        columns: Set<String>,
        update: () throws -> PersistenceSuccess
    ) throws

    /// Called when the record has been updated.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the record is inserted or updated.
    func willSave(_ db: Database) throws

    /// Called around the insertion or the update: must call `save`, and throw what it throws.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called when the record has been inserted or updated.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the record is deleted.
    func willDelete(_ db: Database) throws

    /// Called around the deletion: must call `delete`, and throw what it throws.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called when the record has been deleted, or was not there.
    func didDelete(deleted: Bool)
}

/// What an insertion brought.
public struct InsertionSuccess {
    /// The rowid of the row.
    public var rowID: Int64

    /// The column that is another name of the rowid; nil when there is none.
    public var rowIDColumn: String?

    /// The values that were inserted, with the rowid in its column.
    public var persistenceContainer: PersistenceContainer
}

/// What an update, or a save, brought.
public struct PersistenceSuccess {
    /// The values of the record.
    public var persistenceContainer: PersistenceContainer
}

extension MutablePersistableRecord {
    /// Conflicts are errors.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy {
        PersistenceConflictPolicy()
    }

    /// Does nothing.
    public mutating func willInsert(_ db: Database) throws {}

    /// Inserts.
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

    /// Updates.
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

    /// Saves.
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
    }

    /// Does nothing.
    public func didSave(_ saved: PersistenceSuccess) {}

    /// Does nothing.
    public func willDelete(_ db: Database) throws {}

    /// Deletes.
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
    }

    /// Does nothing.
    public func didDelete(deleted: Bool) {}
}
