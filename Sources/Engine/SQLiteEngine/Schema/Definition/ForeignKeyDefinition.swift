/// The columns of a table that reference the primary key of another table.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.belongsTo("team", onDelete: .cascade).notNull()
/// }
/// ```
///
/// ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)`` adds the columns.
public final class ForeignKeyDefinition {
    private enum Indexing {
        case none, index, unique
    }

    private let name: String
    private let table: String?
    private let deleteAction: Database.ForeignKeyAction?
    private let updateAction: Database.ForeignKeyAction?
    private let isDeferred: Bool
    private var indexing: Indexing
    private var notNullResolution: Database.ConflictResolution?

    init(
        name: String,
        table: String?,
        deleteAction: Database.ForeignKeyAction?,
        updateAction: Database.ForeignKeyAction?,
        isDeferred: Bool,
        isIndexed: Bool
    ) {
        self.name = name
        self.table = table
        self.deleteAction = deleteAction
        self.updateAction = updateAction
        self.isDeferred = isDeferred
        indexing = isIndexed ? .index : .none
    }

    /// Adds a `NOT NULL` constraint to each column.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullResolution = conflictResolution ?? .abort
        return self
    }

    /// Prevents two rows from referencing the same row.
    @discardableResult
    public func unique() -> Self {
        indexing = .unique
        return self
    }

    /// The parts of the table that the definition adds.
    struct Parts {
        var columns: [ColumnDefinition]
        /// The foreign key of several columns, or `nil` if the only column contains it.
        var foreignKey: (columns: [String], reference: ForeignKeyReference)?
        /// The options of an index on several columns, or `nil` for no such index.
        var index: IndexOptions?
    }

    /// Returns the columns, which are named after the columns of the referenced key.
    ///
    /// - Throws: A ``DatabaseError`` if the referenced table does not exist.
    func parts(_ keys: ReferencedKeys) throws -> Parts {
        let (destination, key) = try keys.destination(of: name, in: table)
        // A table without a declared key is referenced by its rowid.
        let members = key ?? [ReferencedKeys.Column(name: "id", type: .integer)]
        let columns = members.map { member in
            let column = ColumnDefinition(
                name: name + member.name.prefix(1).uppercased() + member.name.dropFirst(),
                type: member.type
            )
            if let notNullResolution { column.notNull(onConflict: notNullResolution) }
            return column
        }
        let reference = ForeignKeyReference(
            table: destination,
            columns: nil,
            deleteAction: deleteAction,
            updateAction: updateAction,
            isDeferred: isDeferred
        )
        guard columns.count == 1 else {
            return Parts(
                columns: columns,
                foreignKey: (columns.map(\.name), reference),
                index: indexing == .none ? nil : indexing == .unique ? .unique : []
            )
        }
        columns[0].references(reference)
        switch indexing {
        case .none: break
        case .index: columns[0].indexed()
        case .unique: columns[0].unique()
        }
        return Parts(columns: columns)
    }
}

@available(*, unavailable)
extension ForeignKeyDefinition: Sendable {}

/// The target of a foreign key.
struct ForeignKeyReference {
    let table: String
    let columns: [String]?
    let deleteAction: Database.ForeignKeyAction?
    let updateAction: Database.ForeignKeyAction?
    let isDeferred: Bool

    func sql(_ keys: ReferencedKeys) throws -> SQL {
        var sql: SQL = "REFERENCES \(identifier: table)"
        // If the columns are omitted, SQLite uses the primary key that exists at the time of the
        // check.
        if let columns = try columns ?? keys.columns(of: table) {
            sql += "(\(sql: columns.identifierList))"
        }
        if let deleteAction { sql += " ON DELETE \(sql: deleteAction.rawValue)" }
        if let updateAction { sql += " ON UPDATE \(sql: updateAction.rawValue)" }
        if isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        return sql
    }
}

/// The primary keys that a definition can reference.
struct ReferencedKeys {
    /// A column of a primary key.
    struct Column {
        let name: String
        let type: Database.ColumnType?
    }

    let db: Database
    /// The table that is being created, whose key is not in the schema yet.
    let newTable: (name: String, key: [Column]?)?

    init(_ db: Database, newTable: (name: String, key: [Column]?)? = nil) {
        self.db = db
        self.newTable = newTable
    }

    /// Returns the columns of a table's primary key, or `nil` if the table does not exist.
    fileprivate func columns(of table: String) throws -> [String]? {
        if let newTable, newTable.name.isSameIdentifier(as: table) {
            return newTable.key?.map(\.name) ?? [SQLiteEngine.Column.rowID.name]
        }
        return try db.tableExists(table) ? db.primaryKey(table).columns : nil
    }

    /// Returns the table that an association references, and the declared columns of its key.
    ///
    /// Without the name of a table, the association is named after its table, in the singular or
    /// as the table.
    ///
    /// - Throws: A ``DatabaseError`` if no such table exists.
    fileprivate func destination(
        of name: String,
        in table: String?
    ) throws -> (table: String, key: [Column]?) {
        if let newTable {
            let isNewTable =
                table?.isSameIdentifier(as: newTable.name)
                ?? name.pluralized.isSameIdentifier(as: newTable.name.pluralized)
            if isNewTable { return (newTable.name, newTable.key) }
        }
        let plural = name.pluralized
        let usesPlural =
            try table == nil && !db.tableExists(name) && db.tableExists(plural)
        let destination = table ?? (usesPlural ? plural : name)
        let key = try db.primaryKey(destination).columnInfos
        return (destination, key?.map { Column(name: $0.name, type: $0.columnType) })
    }
}
