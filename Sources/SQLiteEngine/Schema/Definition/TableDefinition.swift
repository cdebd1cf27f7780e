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
    }

    private var items: [Item] = []
    private var constraints: [SQL] = []
    /// The columns that ``primaryKey(onConflict:body:)`` is defining, if any.
    private var openPrimaryKey: [String]?

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
        if openPrimaryKey != nil {
            openPrimaryKey?.append(name)
            column.notNull()
        }
        return column
    }

    /// Adds a column that is defined in SQL.
    public func column(sql: String) { column(literal: SQL(sql: sql)) }

    /// Adds a column that is defined in SQL.
    public func column(literal: SQL) {
        requirement(
            openPrimaryKey == nil,
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
        constraints.append(
            "PRIMARY KEY (\(sql: columns.identifierList))\(sql: conflictResolution.onConflict)"
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
        requirement(openPrimaryKey == nil, "A primary key cannot be defined inside another.")
        openPrimaryKey = []
        defer { openPrimaryKey = nil }
        try body()
        primaryKey(openPrimaryKey ?? [], onConflict: conflictResolution)
    }

    /// Adds a `UNIQUE` constraint on the specified columns.
    public func uniqueKey(
        _ columns: [String],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        constraints.append(
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
        constraints.append("FOREIGN KEY (\(sql: columns.identifierList)) \(literal: reference.sql)")
    }

    /// Adds a `CHECK` constraint.
    public func check(_ condition: SQL) { constraints.append("CHECK (\(literal: condition))") }

    /// Adds a `CHECK` constraint that is defined in SQL.
    public func check(sql: String) { check(SQL(sql: sql)) }

    /// Adds a constraint that is defined in SQL.
    public func constraint(sql: String) { constraint(literal: SQL(sql: sql)) }

    /// Adds a constraint that is defined in SQL.
    public func constraint(literal: SQL) { constraints.append(literal) }

    // MARK: SQL

    func statements() throws -> [String] {
        let columns = items.map { item in
            switch item {
            case .column(let column): column.sql
            case .literal(let literal): literal
            }
        }
        let suffixes = [
            options.contains(.withoutRowID) ? "WITHOUT ROWID" : nil,
            options.contains(.strict) ? "STRICT" : nil,
        ]
        .compactMap { $0 }
        let table: SQL = """
            CREATE \(sql: options.contains(.temporary) ? "TEMPORARY " : "")TABLE \
            \(sql: options.contains(.ifNotExists) ? "IF NOT EXISTS " : "")\
            \(identifier: name) (\(literal: (columns + constraints).joined(separator: ", ")))\
            \(sql: suffixes.isEmpty ? "" : " " + suffixes.joined(separator: ", "))
            """
        let indexes = try items.compactMap { item -> String? in
            guard case .column(let column) = item, column.needsIndex else { return nil }
            return try IndexDefinition(
                column,
                of: name,
                options: options.contains(.ifNotExists) ? .ifNotExists : []
            )
            .sql.inlined()
        }
        return [try table.inlined()] + indexes
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
    init(_ column: ColumnDefinition, of table: String, options: IndexOptions) {
        self.init(
            name: Self.defaultName(on: table, columns: [column.name]),
            table: table,
            expressions: ["\(identifier: column.name)"],
            options: options,
            condition: nil
        )
    }

    static func defaultName(on table: String, columns: [String]) -> String {
        "\(table)_on_\(columns.joined(separator: "_"))"
    }
}
