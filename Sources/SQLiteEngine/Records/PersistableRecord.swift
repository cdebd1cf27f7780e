/// A record that can be inserted, updated and deleted, and that does not change with that.
///
/// For classes, and for structures whose primary key is known beforehand.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the record is inserted.
    func willInsert(_ db: Database) throws

    /// Called when the record has been inserted.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    /// Does nothing.
    public func willInsert(_ db: Database) throws {}

    /// Does nothing.
    public func didInsert(_ inserted: InsertionSuccess) {}

    /// Inserts the record.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictResolution: What happens on a conflict; the type's policy by default.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public func insert(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.inserting(db, conflictResolution, returning: []) { try $0.execute() }
    }

    /// Updates the record's row, or inserts the record when no row has its primary key.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictResolution: What happens on a conflict; the type's policy by default.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public func save(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var record = self
        try record.saving(db, conflictResolution, returning: []) { try $0.execute() }
    }
}
