// The operations that implement the record methods. Each operation calls its callbacks. `selection`
// contains the columns that the statement returns to `fetch`. For most operations, `selection` is
// empty.

extension MutablePersistableRecord {
    mutating func inserting<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> T {
        try willSave(db)
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundSave(db) {
            let (inserted, value) = try insertRow(db, resolution, selection, fetch)
            let saved = PersistenceSuccess(persistenceContainer: inserted.persistenceContainer)
            result = (saved, value)
            return saved
        }
        guard let result else { throw notCalled("aroundSave") }
        didSave(result.saved)
        return result.value
    }

    func updating<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        columns: Set<String>,
        returning selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> T {
        try willSave(db)
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundSave(db) {
            let updated = try updateRow(db, resolution, columns, selection, fetch)
            result = updated
            return updated.0
        }
        guard let result else { throw notCalled("aroundSave") }
        didSave(result.saved)
        return result.value
    }

    mutating func saving<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        returning selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> T {
        try willSave(db)
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundSave(db) {
            let saved = try updateOrInsertRow(db, resolution, selection, fetch)
            result = saved
            return saved.0
        }
        guard let result else { throw notCalled("aroundSave") }
        didSave(result.saved)
        return result.value
    }

    mutating func upserting<T>(
        _ db: Database,
        onConflict target: [String],
        updating strategy: UpsertUpdateStrategy,
        returning selection: [any SQLSelectable],
        _ decode: (Row) throws -> T
    ) throws -> T {
        try willSave(db)
        var result: (saved: PersistenceSuccess, value: T)?
        try aroundSave(db) {
            let (inserted, value) = try upsertRow(db, target, strategy, selection, decode)
            let saved = PersistenceSuccess(persistenceContainer: inserted.persistenceContainer)
            result = (saved, value)
            return saved
        }
        guard let result else { throw notCalled("aroundSave") }
        didSave(result.saved)
        return result.value
    }

    func deleting(_ db: Database) throws -> Bool {
        try willDelete(db)
        var result: Bool?
        try aroundDelete(db) {
            let isDeleted = try deleteRow(db)
            result = isDeleted
            return isDeleted
        }
        guard let result else { throw notCalled("aroundDelete") }
        didDelete(deleted: result)
        return result
    }

    private mutating func insertRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> (InsertionSuccess, T) {
        try willInsert(db)
        // The record does not change between `willInsert` and `didInsert`.
        let record = self
        let resolution = resolution ?? Self.persistenceConflictPolicy.conflictResolutionForInsert
        var result: (inserted: InsertionSuccess, value: T)?
        try aroundInsert(db) {
            let statements = try RecordStatements(db, record)
            let value = try fetch(statements.insert(resolution, returning: selection))
            let rowIDColumn = statements.shape.rowIDColumn
            let rowID = db.lastInsertedRowID
            var container = statements.container
            if let rowIDColumn { container.set(rowID.databaseValue, rowIDColumn) }
            let inserted = InsertionSuccess(
                rowID: rowID,
                rowIDColumn: rowIDColumn,
                persistenceContainer: container
            )
            result = (inserted, value)
            return inserted
        }
        guard let result else { throw notCalled("aroundInsert") }
        didInsert(result.inserted)
        return result
    }

    private mutating func upsertRow<T>(
        _ db: Database,
        _ target: [String],
        _ strategy: UpsertUpdateStrategy,
        _ selection: [any SQLSelectable],
        _ decode: (Row) throws -> T
    ) throws -> (InsertionSuccess, T) {
        try willInsert(db)
        let record = self
        var result: (inserted: InsertionSuccess, value: T)?
        try aroundInsert(db) {
            let statements = try RecordStatements(db, record)
            // An update does not change the connection's last inserted rowid, so the statement must
            // return the rowid.
            let hasRowID = try db.primaryKey(statements.table).tableHasRowID
            let statement = try statements.upsert(
                onConflict: target,
                updating: strategy,
                returning: selection + (hasRowID ? [Column.rowID] : [])
            )
            var rowID: Int64 = 0
            var value: T?
            if selection.isEmpty && !hasRowID {
                try statement.execute()
                value = try decode(Row())
            } else {
                // Fetch all rows so that the statement runs to completion.
                for row in try Row.fetchAll(statement) where value == nil {
                    value = try decode(row)
                    if hasRowID { rowID = row[row.count - 1] }
                }
            }
            guard let value else { throw statements.notFound }
            var container = statements.container
            let rowIDColumn = statements.shape.rowIDColumn
            if let rowIDColumn { container.set(rowID.databaseValue, rowIDColumn) }
            let inserted = InsertionSuccess(
                rowID: rowID,
                rowIDColumn: rowIDColumn,
                persistenceContainer: container
            )
            result = (inserted, value)
            return inserted
        }
        guard let result else { throw notCalled("aroundInsert") }
        didInsert(result.inserted)
        return result
    }

    private func updateRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ columns: Set<String>,
        _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T) {
        try willUpdate(db, columns: columns)
        let resolution = resolution ?? Self.persistenceConflictPolicy.conflictResolutionForUpdate
        var result: (updated: PersistenceSuccess, value: T)?
        try aroundUpdate(db, columns: columns) {
            let statements = try RecordStatements(db, self)
            guard
                let statement = try statements.update(
                    resolution,
                    columns: columns,
                    returning: selection
                )
            else { throw statements.notFound }
            let (count, value) = try db.countingChanges(of: statements.table) {
                try fetch(statement)
            }
            guard count > 0 else { throw statements.notFound }
            let updated = PersistenceSuccess(persistenceContainer: statements.container)
            result = (updated, value)
            return updated
        }
        guard let result else { throw notCalled("aroundUpdate") }
        didUpdate(result.updated)
        return result
    }

    private mutating func updateOrInsertRow<T>(
        _ db: Database,
        _ resolution: Database.ConflictResolution?,
        _ selection: [any SQLSelectable],
        _ fetch: (Statement) throws -> T
    ) throws -> (PersistenceSuccess, T) {
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
        let (inserted, value) = try insertRow(db, resolution, selection, fetch)
        let container = inserted.persistenceContainer
        return (PersistenceSuccess(persistenceContainer: container), value)
    }

    private func deleteRow(_ db: Database) throws -> Bool {
        let statements = try RecordStatements(db, self)
        guard let statement = try statements.delete() else { return false }
        return try db.countingChanges(of: statements.table) { try statement.execute() }.count > 0
    }

    private func notCalled(_ callback: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                \(Self.self).\(callback) returned without calling its action, or without \
                rethrowing the error of its action
                """
        )
    }
}
