extension MutablePersistableRecord {
    /// Inserts the record.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictResolution: What happens on a conflict; the type's policy by default.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public mutating func insert(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try inserting(db, conflictResolution, returning: []) { try $0.execute() }
    }

    /// Inserts a copy of the record; returns the copy, as it is then.
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
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictResolution: What happens on a conflict; the type's policy by default.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when no row has the
    ///   record's primary key; a ``DatabaseError``, or what a callback throws.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        let columns = try db.tableShape(Self.databaseTableName).columns
        try update(db, onConflict: conflictResolution, columns: columns)
    }

    /// Updates some columns of the record's row.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>
    ) throws {
        try updating(db, conflictResolution, columns: Set(columns), returning: []) {
            try $0.execute()
        }
    }

    /// Updates some columns of the record's row.
    public func update(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<some ColumnExpression>
    ) throws {
        try update(db, onConflict: conflictResolution, columns: columns.map(\.name))
    }

    /// Updates the columns that differ from another record's, if there are any.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public func updateChanges<Record: MutablePersistableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        from record: Record
    ) throws -> Bool {
        try updateChanges(db, conflictResolution, from: PersistenceContainer(record))
    }

    /// Changes the record, and updates the columns that differ, if there are any.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    public mutating func updateChanges(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Bool {
        let before = try PersistenceContainer(self)
        try modify(&self)
        return try updateChanges(db, conflictResolution, from: before)
    }

    private func updateChanges(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        from before: PersistenceContainer
    ) throws -> Bool {
        let changes = try PersistenceContainer(self).changes(from: before)
        if changes.isEmpty { return false }
        try update(db, onConflict: resolution, columns: changes.keys)
        return true
    }

    /// Updates the record's row, or inserts the record when no row has its primary key.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - conflictResolution: What happens on a conflict; the type's policy by default.
    /// - Throws: A ``DatabaseError``, or what a callback throws.
    public mutating func save(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try saving(db, conflictResolution, returning: []) { try $0.execute() }
    }

    /// Saves a copy of the record; returns the copy, as it is then.
    public func saved(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self {
        var result = self
        try result.save(db, onConflict: conflictResolution)
        return result
    }

    /// Deletes the record's row; returns whether there was one.
    @discardableResult
    public func delete(_ db: Database) throws -> Bool { try deleting(db) }

    /// Whether a row has the record's primary key.
    public func exists(_ db: Database) throws -> Bool {
        guard let statement = try RecordStatements(db, self).exists() else { return false }
        return try Bool.fetchOne(statement) ?? false
    }

    /// The error of a record whose primary key no row has.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            return try RecordStatements(db, self).notFound
        } catch {
            return error
        }
    }
}
