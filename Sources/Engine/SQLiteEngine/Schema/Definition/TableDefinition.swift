/// A table that is being created.
///
/// ```swift
/// try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///     t.column("teamId", .integer).indexed().references("team", onDelete: .cascade)
///     t.uniqueKey(["name", "teamId"])
/// }
/// ```
public final class TableDefinition {
    let name: String
    let options: TableOptions

    private enum Item {
        case column(ColumnDefinition)
        case literal(SQL)
        case association(ForeignKeyDefinition)
        case foreignKey([String], ForeignKeyReference)
    }

    private enum KeyMember {
        case name(String)
        case column(ColumnDefinition)
        case association(ForeignKeyDefinition)
    }

    private struct PrimaryKey {
        var members: [KeyMember]
        let resolution: Database.ConflictResolution?
    }

    private var items: [Item] = []
    private var primaryKeys: [PrimaryKey] = []
    private var uniqueKeys: [SQL] = []
    private var checks: [SQL] = []
    private var literals: [SQL] = []
    /// Whether ``primaryKey(onConflict:body:)`` is defining the last primary key.
    private var isInPrimaryKey = false

    init(name: String, options: TableOptions) {
        self.name = name
        self.options = options
    }

    // MARK: Columns

    /// Adds an `INTEGER PRIMARY KEY AUTOINCREMENT` column.
    ///
    /// SQLite generates the values and never reuses them.
    @discardableResult
    public func autoIncrementedPrimaryKey(
        _ name: String,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        column(name, .integer).primaryKey(onConflict: conflictResolution, autoincrement: true)
    }

    /// Adds a primary key column that cannot be `NULL`.
    @discardableResult
    public func primaryKey(
        _ name: String,
        _ type: Database.ColumnType,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) -> ColumnDefinition {
        let column = column(name, type).primaryKey(onConflict: conflictResolution)
        // SQLite allows `NULL` in keys of other types. See https://sqlite.org/quirks.html, section
        // 6.
        return type == .integer ? column : column.notNull()
    }

    /// Adds a column.
    ///
    /// - Parameters:
    ///   - name: The name of the column.
    ///   - type: The type, or `nil` for a column without a type.
    /// - Returns: The column, to which you can add constraints.
    @discardableResult
    public func column(_ name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        items.append(.column(column))
        if isInPrimaryKey {
            primaryKeys[primaryKeys.count - 1].members.append(.column(column))
            column.notNull()
        }
        return column
    }

    /// Adds the columns that reference the primary key of another table, and an index on them.
    ///
    /// Each column is named after the association and the column of the key, such as `teamId`. In
    /// ``primaryKey(onConflict:body:)``, the columns are part of the key, without an index.
    ///
    /// ```swift
    /// t.belongsTo("team", onDelete: .cascade)
    /// t.belongsTo("guest", inTable: "player")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the association.
    ///   - table: The referenced table, which must exist or be the new table, or `nil` if it is
    ///     named like the association or its English plural.
    ///   - deleteAction: The action when the referenced row is deleted, or `nil` to prevent the
    ///     deletion.
    ///   - updateAction: The action when the referenced key changes, or `nil` to prevent the
    ///     change.
    ///   - isDeferred: Whether SQLite checks the constraint only when the transaction commits.
    ///   - isIndexed: Whether an index on the columns is created.
    /// - Returns: The association, to which you can add constraints.
    @discardableResult
    public func belongsTo(
        _ name: String,
        inTable table: String? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false,
        indexed isIndexed: Bool = true
    ) -> ForeignKeyDefinition {
        let association = ForeignKeyDefinition(
            name: name,
            table: table,
            deleteAction: deleteAction,
            updateAction: updateAction,
            isDeferred: isDeferred,
            isIndexed: isIndexed && !isInPrimaryKey
        )
        items.append(.association(association))
        if isInPrimaryKey {
            primaryKeys[primaryKeys.count - 1].members.append(.association(association))
            association.notNull()
        }
        return association
    }

    /// Adds a column that is defined in SQL.
    public func column(sql: String) { column(literal: SQL(sql: sql)) }

    /// Adds a column that is defined in SQL.
    public func column(literal: SQL) {
        requirement(
            !isInPrimaryKey,
            "A column defined in SQL cannot be added in primaryKey { }; use primaryKey(_:) instead."
        )
        items.append(.literal(literal))
    }

    // MARK: Constraints

    /// Defines a primary key that consists of the given columns.
    public func primaryKey(
        _ columns: [String],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        primaryKeys.append(
            PrimaryKey(members: columns.map { .name($0) }, resolution: conflictResolution)
        )
    }

    /// Defines a primary key that consists of the columns that `body` adds.
    ///
    /// The columns cannot be `NULL`.
    ///
    /// ```swift
    /// t.primaryKey {
    ///     t.column("teamId", .integer).references("team")
    ///     t.column("number", .integer)
    /// }
    /// ```
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        body: () throws -> Void
    ) rethrows {
        requirement(!isInPrimaryKey, "A primary key cannot be defined inside another.")
        primaryKeys.append(PrimaryKey(members: [], resolution: conflictResolution))
        isInPrimaryKey = true
        defer { isInPrimaryKey = false }
        try body()
    }

    /// Adds a `UNIQUE` constraint on the specified columns.
    public func uniqueKey(
        _ columns: [String],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        uniqueKeys.append(
            "UNIQUE (\(sql: columns.identifierList))\(sql: conflictResolution.onConflict)"
        )
    }

    /// Adds a foreign key that references another table.
    ///
    /// - Parameters:
    ///   - columns: The foreign key columns of this table.
    ///   - table: The referenced table, which you can create later.
    ///   - destinationColumns: The referenced columns, or `nil` for the primary key of the
    ///     referenced table.
    ///   - deleteAction: The action when the referenced row is deleted, or `nil` to prevent the
    ///     deletion.
    ///   - updateAction: The action when the referenced key changes, or `nil` to prevent the
    ///     change.
    ///   - isDeferred: Whether SQLite checks the constraint only when the transaction commits.
    public func foreignKey(
        _ columns: [String],
        references table: String,
        columns destinationColumns: [String]? = nil,
        onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil,
        deferred isDeferred: Bool = false
    ) {
        let reference = ForeignKeyReference(
            table: table,
            columns: destinationColumns,
            deleteAction: deleteAction,
            updateAction: updateAction,
            isDeferred: isDeferred
        )
        items.append(.foreignKey(columns, reference))
    }

    /// Adds a `CHECK` constraint.
    public func check(_ condition: SQL) { checks.append("CHECK (\(literal: condition))") }

    /// Adds a `CHECK` constraint that is defined in SQL.
    public func check(sql: String) { check(SQL(sql: sql)) }

    /// Adds a constraint that is defined in SQL.
    public func constraint(sql: String) { constraint(literal: SQL(sql: sql)) }

    /// Adds a constraint that is defined in SQL.
    public func constraint(literal: SQL) { literals.append(literal) }

    // MARK: SQL

    /// Returns the statements that create the table and its indexes.
    ///
    /// The constraints are in the same order as with GRDB.
    ///
    /// - Throws: A ``DatabaseError`` if a referenced table cannot be read or, in ``belongsTo``, does
    ///   not exist.
    func statements(_ db: Database) throws -> [String] {
        let keys = ReferencedKeys(db, newTable: (name, try declaredKey(db)))
        let indexOptions: IndexOptions = options.contains(.ifNotExists) ? .ifNotExists : []
        var definitions: [SQL] = []
        var foreignKeys: [SQL] = []
        var indexes: [IndexDefinition] = []
        var columnIndexes: [IndexDefinition] = []
        func add(_ column: ColumnDefinition) throws {
            definitions.append(try column.sql(keys))
            guard column.needsIndex else { return }
            columnIndexes.append(IndexDefinition(column, of: name, options: indexOptions))
        }
        func add(_ columns: [String], _ reference: ForeignKeyReference) throws {
            foreignKeys.append(
                "FOREIGN KEY (\(sql: columns.identifierList)) \(literal: try reference.sql(keys))"
            )
        }
        for item in items {
            switch item {
            case .column(let column): try add(column)
            case .literal(let literal): definitions.append(literal)
            case .foreignKey(let columns, let reference): try add(columns, reference)
            case .association(let association):
                let parts = try association.parts(keys)
                for column in parts.columns { try add(column) }
                if let key = parts.foreignKey { try add(key.columns, key.reference) }
                if let index = parts.index {
                    let columns = parts.columns.map(\.name)
                    let options = indexOptions.union(index)
                    indexes.append(IndexDefinition(columns, of: name, options: options))
                }
            }
        }
        definitions += try primaryKeys.map { key in
            let columns = try columns(of: key, keys).map(\.name)
            return "PRIMARY KEY (\(sql: columns.identifierList))\(sql: key.resolution.onConflict)"
        }
        definitions += uniqueKeys + foreignKeys + checks + literals
        let suffixes = [
            options.contains(.strict) ? "STRICT" : nil,
            options.contains(.withoutRowID) ? "WITHOUT ROWID" : nil,
        ]
        .compactMap { $0 }
        let table: SQL = """
            CREATE \(sql: options.contains(.temporary) ? "TEMPORARY " : "")TABLE \
            \(sql: options.contains(.ifNotExists) ? "IF NOT EXISTS " : "")\
            \(identifier: name) (\(literal: definitions.joined(separator: ", ")))\
            \(sql: suffixes.isEmpty ? "" : " " + suffixes.joined(separator: ", "))
            """
        return try [table.inlined()] + (indexes + columnIndexes).map { try $0.sql.inlined() }
    }

    /// Returns the columns of the primary key, or `nil` if the table declares no key.
    private func declaredKey(_ db: Database) throws -> [ReferencedKeys.Column]? {
        // An association in the key cannot reference the key itself.
        if let key = primaryKeys.first { return try columns(of: key, ReferencedKeys(db)) }
        for case .column(let column) in items where column.isPrimaryKey { return [column.key] }
        return nil
    }

    private func columns(
        of key: PrimaryKey,
        _ keys: ReferencedKeys
    ) throws -> [ReferencedKeys.Column] {
        try key.members.flatMap { member in
            switch member {
            case .name(let name): [ReferencedKeys.Column(name: name, type: nil)]
            case .column(let column): [column.key]
            case .association(let association): try association.parts(keys).columns.map(\.key)
            }
        }
    }
}

@available(*, unavailable)
extension TableDefinition: Sendable {}

struct IndexDefinition {
    let name: String
    let table: String
    let expressions: [SQL]
    let options: IndexOptions
    let condition: SQL?

    var sql: SQL {
        """
        CREATE \(sql: options.contains(.unique) ? "UNIQUE " : "")INDEX \
        \(sql: options.contains(.ifNotExists) ? "IF NOT EXISTS " : "")\
        \(identifier: name) ON \(identifier: table)(\
        \(literal: expressions.joined(separator: ", ")))\
        \(literal: condition.map { " WHERE \(literal: $0)" } ?? "")
        """
    }
}

extension IndexDefinition {
    /// Creates the definition of an index on columns, with GRDB's default name.
    init(
        _ columns: [String],
        of table: String,
        options: IndexOptions,
        condition: SQL? = nil,
        namePrefix: String = "index_"
    ) {
        self.init(
            name: "\(namePrefix)\(table)_on_\(columns.joined(separator: "_"))",
            table: table,
            expressions: columns.map { "\(identifier: $0)" },
            options: options,
            condition: condition
        )
    }

    init(_ column: ColumnDefinition, of table: String, options: IndexOptions) {
        self.init([column.name], of: table, options: options, namePrefix: "")
    }
}
