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
        try record.performInsert(db, conflictResolution)
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
        try record.performSave(db, conflictResolution)
    }
}
