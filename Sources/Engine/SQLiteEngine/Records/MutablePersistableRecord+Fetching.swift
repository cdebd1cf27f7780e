// These methods write a record and return the resulting row. The row includes default values and
// generated columns, but not changes made by triggers. See https://sqlite.org/lang_returning.html.

extension MutablePersistableRecord {
    /// Inserts a copy of the record and returns the row as a record.
    public func insertAndFetch(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.insertAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Inserts the record and returns the row as a record of another type.
    public mutating func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try performInsert(
            db,
            resolution: conflictResolution,
            returning: T.databaseSelection,
            fetchReturned(db)
        )
    }

    /// Inserts the record and returns the value that a closure fetches.
    ///
    /// The closure executes the statement, which returns the columns of `selection`. If
    /// `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a callback or from `fetch`.
    public mutating func insertAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try performInsert(db, resolution: conflictResolution, returning: selection, fetch)
    }

    /// Inserts the record and returns the value that a closure fetches.
    public mutating func insertAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T,
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db,
            onConflict: conflictResolution,
            selection: select(Self.databaseComponents),
            fetch: fetch
        )
    }

    /// Updates the record's row and returns the row as a record.
    public func updateAndFetch(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try updateAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Updates the record's row and returns the row as a record of another type.
    public func updateAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try performUpdate(
            db,
            resolution: conflictResolution,
            returning: T.databaseSelection,
            fetchReturned(db)
        )
    }

    /// Saves a copy of the record and returns the row as a record.
    public func saveAndFetch(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        var record = self
        return try record.saveAndFetch(db, onConflict: conflictResolution, as: Self.self)
    }

    /// Saves the record and returns the row as a record of another type.
    public mutating func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        try performSave(
            db,
            resolution: conflictResolution,
            returning: T.databaseSelection,
            fetchReturned(db)
        )
    }

    /// Saves the record and returns the value that a closure fetches.
    public mutating func saveAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try performSave(db, resolution: conflictResolution, returning: selection, fetch)
    }

    // MARK: Changes

    /// Modifies the record, updates the changed columns, and returns the row as a record.
    ///
    /// - Returns: The record, or `nil` if no column has changed.
    public mutating func updateChangesAndFetch(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        modify: (inout Self) throws -> Void
    ) throws -> Self? where Self: FetchableRecord {
        try updateChangesAndFetch(db, onConflict: conflictResolution, as: Self.self, modify: modify)
    }

    /// Modifies the record, updates the changed columns, and returns the row as a record of another
    /// type.
    ///
    /// - Returns: The record, or `nil` if no column has changed.
    public mutating func updateChangesAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type,
        modify: (inout Self) throws -> Void
    ) throws -> T? {
        try updateChangesAndFetch(
            db,
            onConflict: conflictResolution,
            selection: T.databaseSelection,
            fetch: fetchReturned(db),
            modify: modify
        )
    }

    /// Modifies the record, updates the changed columns, and returns the value that a closure
    /// fetches.
    ///
    /// The closure executes the statement, which returns the columns of `selection`. If
    /// `conflictResolution` is `nil`, the record type's policy applies.
    ///
    /// - Returns: The value that `fetch` returns, or `nil` if no column has changed.
    /// - Throws: A ``DatabaseError``, or an error from a callback or a closure.
    public mutating func updateChangesAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T,
        modify: (inout Self) throws -> Void
    ) throws -> T? {
        let before = try PersistenceContainer(self)
        try modify(&self)
        return try performUpdateOfChanges(
            db,
            resolution: conflictResolution,
            from: before,
            returning: selection,
            fetch
        )
    }

    /// Updates the record's row and returns the value that a closure fetches.
    public func updateAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try performUpdate(db, resolution: conflictResolution, returning: selection, fetch)
    }

    /// Updates the given columns of the record's row and returns the value that a closure fetches.
    public func updateAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try performUpdate(
            db,
            resolution: conflictResolution,
            columns: Set(columns),
            returning: selection,
            fetch
        )
    }

    /// Returns a closure that fetches the returned row.
    ///
    /// The closure throws an error if there is no row, for example because the insertion ignored a
    /// conflict.
    func fetchReturned<T: FetchableRecord>(_ db: Database) -> (Statement) throws -> T {
        { statement in
            if let row = try T.fetchOne(statement) { return row }
            throw recordNotFound(db)
        }
    }
}

extension PersistableRecord {
    /// Inserts the record and returns the row as a record of another type.
    public func insertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        var record = self
        let selection = T.databaseSelection
        return try record.performInsert(
            db,
            resolution: conflictResolution,
            returning: selection,
            fetchReturned(db)
        )
    }

    /// Inserts the record and returns the value that a closure fetches.
    public func insertAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.performInsert(
            db,
            resolution: conflictResolution,
            returning: selection,
            fetch
        )
    }

    /// Inserts the record and returns the value that a closure fetches.
    public func insertAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> T,
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> T {
        try insertAndFetch(
            db,
            onConflict: conflictResolution,
            selection: select(Self.databaseComponents),
            fetch: fetch
        )
    }

    /// Saves the record and returns the row as a record of another type.
    public func saveAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> T {
        var record = self
        let selection = T.databaseSelection
        return try record.performSave(
            db,
            resolution: conflictResolution,
            returning: selection,
            fetchReturned(db)
        )
    }

    /// Saves the record and returns the value that a closure fetches.
    public func saveAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        var record = self
        return try record.performSave(
            db,
            resolution: conflictResolution,
            returning: selection,
            fetch
        )
    }
}
