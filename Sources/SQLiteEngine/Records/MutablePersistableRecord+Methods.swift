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
        try performInsert(db, conflictResolution)
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
        try performUpdate(db, conflictResolution)
    }

    /// Updates the given columns of the record's row.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try performUpdate(db, conflictResolution, columns: Set(columns))
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
        try performUpdateOfChanges(db, conflictResolution, from: PersistenceContainer(record))
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
        return try performUpdateOfChanges(db, conflictResolution, from: before) != nil
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
        try performSave(db, conflictResolution)
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
