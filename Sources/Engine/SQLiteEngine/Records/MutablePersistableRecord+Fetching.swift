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
        try performInsert(db, conflictResolution, returning: T.databaseSelection, fetchReturned(db))
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
        try performInsert(db, conflictResolution, returning: selection, fetch)
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
        try performUpdate(db, conflictResolution, returning: T.databaseSelection, fetchReturned(db))
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
        try performSave(db, conflictResolution, returning: T.databaseSelection, fetchReturned(db))
    }

    /// Saves the record and returns the value that a closure fetches.
    public mutating func saveAndFetch<T>(
        _ db: Database,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable],
        fetch: (Statement) throws -> T
    ) throws -> T {
        try performSave(db, conflictResolution, returning: selection, fetch)
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
            conflictResolution,
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
        try performUpdate(db, conflictResolution, returning: selection, fetch)
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
            conflictResolution,
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
            conflictResolution,
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
        return try record.performInsert(db, conflictResolution, returning: selection, fetch)
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
            conflictResolution,
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
        return try record.performSave(db, conflictResolution, returning: selection, fetch)
    }
}

// These operations implement the record methods and call the callbacks. `selection` contains the
// columns that the statement returns to `fetch`, or is `nil` if the statement returns no rows.

extension MutablePersistableRecord {
    mutating func performInsert<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let result = try withSaveCallbacks(db) { try insertRow(db, resolution, selection, fetch) }
        didSave(result.saved)
        return result.value
    }

    func performUpdate<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        columns: Set<String>? = nil,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let columns = try columns ?? Set(db.tableShape(Self.databaseTableName).columns)
        let result = try withSaveCallbacks(db) {
            try updateRow(db, resolution, columns, selection, fetch)
        }
        didSave(result.saved)
        return result.value
    }

    /// Updates the columns that have changed since `before`, or returns `nil` if there are none.
    func performUpdateOfChanges<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        from before: PersistenceContainer,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T? {
        let changes = try PersistenceContainer(self).changes(from: before)
        if changes.isEmpty { return nil }
        return try performUpdate(
            db,
            resolution,
            columns: Set(changes.keys),
            returning: selection,
            fetch
        )
    }

    mutating func performSave<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let result = try withSaveCallbacks(db) {
            try updateOrInsertRow(db, resolution, selection, fetch)
        }
        didSave(result.saved)
        return result.value
    }

    mutating func performUpsert<T>(
        _ db: Database,
        _ target: [String] = [],
        _ strategy: UpsertUpdateStrategy = .allColumns,
        returning selection: [any SQLSelectable] = [],
        _ decode: (Row) throws -> T = { _ in }
    ) throws -> T {
        let result = try withSaveCallbacks(db) {
            try insertRow(db) { try $0.upsertRow(target, strategy, selection, decode) }
        }
        didSave(result.saved)
        return result.value
    }

    func performDelete(_ db: Database) throws -> Bool {
        try willDelete(db)
        var result: Bool?
        try aroundDelete(db) {
            let isDeleted = try deleteRow(db)
            result = isDeleted
            return isDeleted
        }
        guard let result else { throw callbackError("aroundDelete") }
        didDelete(deleted: result)
        return result
    }

    private func withSaveCallbacks<T>(
        _ db: Database,
        _ save: () throws -> (saved: PersistenceSuccess, value: T)
    ) throws -> (saved: PersistenceSuccess, value: T) {
        try willSave(db)
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundSave(db) {
            let saved = try save()
            result = saved
            return saved.saved
        }
        guard let result else { throw callbackError("aroundSave") }
        return result
    }

    private mutating func insertRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ selection: [any SQLSelectable]?,
        _ fetch: (Statement) throws -> T
    ) throws -> (saved: PersistenceSuccess, value: T) {
        let resolution = resolution ?? Self.persistenceConflictPolicy.conflictResolutionForInsert
        return try insertRow(db) { statements in
            let value = try fetch(statements.insert(resolution, returning: selection))
            return (db.lastInsertedRowID, value)
        }
    }

    private mutating func insertRow<T>(
        _ db: Database,
        _ insert: (RecordStatements) throws -> (rowID: Int64, value: T)
    ) throws -> (saved: PersistenceSuccess, value: T) {
        try willInsert(db)
        // Copy the record, which does not change between `willInsert` and `didInsert`.
        let record = self
        var result: (inserted: InsertionSuccess, value: T)?
        try aroundInsert(db) {
            let statements = try RecordStatements(db, record)
            let (rowID, value) = try insert(statements)
            var inserted = InsertionSuccess(
                rowID: rowID,
                rowIDColumn: statements.shape.rowIDColumn,
                persistenceContainer: statements.container
            )
            if let column = inserted.rowIDColumn {
                inserted.persistenceContainer.set(rowID.databaseValue, column)
            }
            result = (inserted, value)
            return inserted
        }
        guard let result else { throw callbackError("aroundInsert") }
        didInsert(result.inserted)
        let container = result.inserted.persistenceContainer
        return (PersistenceSuccess(persistenceContainer: container), result.value)
    }

    private func updateRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ columns: Set<String>,
        _ selection: [any SQLSelectable]?,
        _ fetch: (Statement) throws -> T
    ) throws -> (saved: PersistenceSuccess, value: T) {
        try willUpdate(db, columns: columns)
        let resolution = resolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundUpdate(db, columns: columns) {
            let statements = try RecordStatements(db, self)
            let statement = try statements.update(resolution, columns, returning: selection)
            let (count, value) = try db.countingChanges(of: statements.table) {
                try fetch(statement)
            }
            guard count > 0 else { throw statements.notFound }
            let updated = PersistenceSuccess(persistenceContainer: statements.container)
            result = (updated, value)
            return updated
        }
        guard let result else { throw callbackError("aroundUpdate") }
        didUpdate(result.saved)
        return result
    }

    private mutating func updateOrInsertRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ selection: [any SQLSelectable]?,
        _ fetch: (Statement) throws -> T
    ) throws -> (saved: PersistenceSuccess, value: T) {
        let statements = try RecordStatements(db, self)
        if statements.keyValues != nil {
            do {
                let columns = Set(statements.shape.columns)
                return try updateRow(db, resolution, columns, selection, fetch)
            } catch RecordError.recordNotFound(let table, let key)
                where table == statements.table && key == statements.key
            {
                // No row has the key yet.
            }
        }
        return try insertRow(db, resolution, selection, fetch)
    }

    private func deleteRow(_ db: Database) throws -> Bool {
        let statements = try RecordStatements(db, self)
        guard let statement = try statements.delete() else { return false }
        return try db.countingChanges(of: statements.table) { try statement.execute() }.count > 0
    }

    private func callbackError(_ callback: String) -> DatabaseError {
        DatabaseError.misuse(
            """
            \(Self.self).\(callback) returned without calling its action, or without \
            rethrowing the error of its action
            """
        )
    }
}

extension RecordStatements {
    fileprivate func upsertRow<T>(
        _ target: [String],
        _ strategy: UpsertUpdateStrategy,
        _ selection: [any SQLSelectable],
        _ decode: (Row) throws -> T
    ) throws -> (rowID: Int64, value: T) {
        // An update does not change the connection's last inserted rowid, so the statement must
        // return the rowid.
        let hasRowID = try db.primaryKey(table).tableHasRowID
        let selection = selection + (hasRowID ? [Column.rowID] : [])
        let statement = try upsert(onConflict: target, updating: strategy, returning: selection)
        if selection.isEmpty {
            try statement.execute()
            return (0, try decode(Row()))
        }
        // Fetch all rows so that the statement runs to completion.
        guard let row = try Row.fetchAll(statement).first else { throw notFound }
        return (hasRowID ? row[row.count - 1] : 0, try decode(row))
    }
}
