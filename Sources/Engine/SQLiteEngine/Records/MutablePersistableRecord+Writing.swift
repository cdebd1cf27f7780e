// These operations implement the record methods and call the callbacks. `selection` contains the
// columns that the statement returns to `fetch`, or is `nil` if the statement returns no rows.

extension MutablePersistableRecord {
    mutating func performInsert<T>(
        _ db: Database,
        resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let result = try withSaveCallbacks(db) {
            try insertRow(db, resolution: resolution, selection: selection, fetch)
        }
        didSave(result.saved)
        return result.value
    }

    func performUpdate<T>(
        _ db: Database,
        resolution: Database.ConflictResolution?,
        columns: Set<String>? = nil,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let columns = try columns ?? Set(db.tableShape(Self.databaseTableName).columns)
        let result = try withSaveCallbacks(db) {
            try updateRow(db, resolution: resolution, columns: columns, selection: selection, fetch)
        }
        didSave(result.saved)
        return result.value
    }

    /// Updates the columns that have changed since `before`, or returns `nil` if there are none.
    func performUpdateOfChanges<T>(
        _ db: Database,
        resolution: Database.ConflictResolution?,
        from before: PersistenceContainer,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T? {
        let changes = try PersistenceContainer(self).changes(from: before)
        if changes.isEmpty { return nil }
        return try performUpdate(
            db,
            resolution: resolution,
            columns: Set(changes.keys),
            returning: selection,
            fetch
        )
    }

    mutating func performSave<T>(
        _ db: Database,
        resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable]? = nil,
        _ fetch: (Statement) throws -> T = { try $0.execute() }
    ) throws -> T {
        let result = try withSaveCallbacks(db) {
            try updateOrInsertRow(db, resolution: resolution, selection: selection, fetch)
        }
        didSave(result.saved)
        return result.value
    }

    mutating func performUpsert<T>(
        _ db: Database,
        target: [String] = [],
        strategy: UpsertUpdateStrategy = .allColumns,
        returning selection: [any SQLSelectable] = [],
        _ decode: (Row) throws -> T = { _ in }
    ) throws -> T {
        let result = try withSaveCallbacks(db) {
            try insertRow(db) {
                try $0.upsertRow(target, strategy: strategy, selection: selection, decode)
            }
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
        resolution: Database.ConflictResolution?,
        selection: [any SQLSelectable]?,
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
        resolution: Database.ConflictResolution?,
        columns: Set<String>,
        selection: [any SQLSelectable]?,
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
        resolution: Database.ConflictResolution?,
        selection: [any SQLSelectable]?,
        _ fetch: (Statement) throws -> T
    ) throws -> (saved: PersistenceSuccess, value: T) {
        let statements = try RecordStatements(db, self)
        if statements.keyValues != nil {
            do {
                let columns = Set(statements.shape.columns)
                return try updateRow(
                    db,
                    resolution: resolution,
                    columns: columns,
                    selection: selection,
                    fetch
                )
            } catch RecordError.recordNotFound(let table, let key)
                where table == statements.table && key == statements.key
            {
                // No row has the key yet.
            }
        }
        return try insertRow(db, resolution: resolution, selection: selection, fetch)
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
        strategy: UpsertUpdateStrategy,
        selection: [any SQLSelectable],
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
