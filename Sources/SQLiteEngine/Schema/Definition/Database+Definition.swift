extension Database {
    // MARK: Tables

    /// Creates a table and the indexes of its columns.
    ///
    /// - Throws: The error that `body` throws, or the error that SQLite reports for the definition.
    ///   After an error, the schema is unchanged.
    public func create(
        table name: String,
        options: TableOptions = [],
        body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        try executeTogether(definition.statements(self))
    }

    /// Renames a table, and updates the triggers and views that reference it.
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: "ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)"
        )
    }

    /// Alters a table with the changes that `body` adds.
    ///
    /// - Throws: The error that SQLite reports for a change. After an error, the table is
    ///   unchanged.
    public func alter(table name: String, body: (TableAlteration) -> Void) throws {
        let alteration = TableAlteration(name: name)
        body(alteration)
        try executeTogether(alteration.statements(self))
    }

    /// Removes a table and all its rows.
    ///
    /// - Throws: A ``DatabaseError``, for example if the table does not exist.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedIdentifier)")
    }

    // MARK: Views

    /// Creates a view of the rows that a request selects.
    ///
    /// - Parameters:
    ///   - name: The name of the view.
    ///   - options: How SQLite creates the view.
    ///   - columns: The names of the columns, or `nil` for the names in the request.
    ///   - request: A query. Interpolated values become part of the definition.
    /// - Throws: A ``DatabaseError``, for example if the view exists, or `SQLITE_MISUSE` if the
    ///   request has arguments that are not interpolated.
    public func create(
        view name: String,
        options: ViewOptions = [],
        columns: [String]? = nil,
        as request: SQLRequest<some Any>
    ) throws {
        try create(view: name, options: options, columns: columns, asLiteral: request.literal)
    }

    /// Creates a view of the rows that a query selects.
    ///
    /// ```swift
    /// try db.create(view: "winner", asLiteral: "SELECT * FROM player WHERE score > \(1_000)")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the view.
    ///   - options: How SQLite creates the view.
    ///   - columns: The names of the columns, or `nil` for the names in the query.
    ///   - sqlLiteral: A query. Interpolated values become part of the definition.
    /// - Throws: A ``DatabaseError``, for example if the view exists, or `SQLITE_MISUSE` if the
    ///   query has arguments that are not interpolated.
    public func create(
        view name: String,
        options: ViewOptions = [],
        columns: [String]? = nil,
        asLiteral sqlLiteral: SQL
    ) throws {
        let view: SQL = """
            CREATE \(sql: options.contains(.temporary) ? "TEMPORARY " : "")VIEW \
            \(sql: options.contains(.ifNotExists) ? "IF NOT EXISTS " : "")\(identifier: name) \
            \(sql: columns.map { "(\($0.identifierList)) " } ?? "")AS \(literal: sqlLiteral)
            """
        try execute(sql: view.inlined())
    }

    /// Removes a view.
    ///
    /// - Throws: A ``DatabaseError``, for example if the view does not exist.
    public func drop(view name: String) throws {
        try execute(sql: "DROP VIEW \(name.quotedIdentifier)")
    }

    // MARK: Indexes

    /// Creates an index on the specified columns.
    ///
    /// If `condition` is not `nil`, the index contains only the rows that satisfy the condition.
    ///
    /// - Throws: A ``DatabaseError``, for example if the rows are not unique.
    public func create(
        index name: String,
        on table: String,
        columns: [String],
        options: IndexOptions = [],
        condition: SQL? = nil
    ) throws {
        try create(
            index: name,
            on: table,
            expressions: columns.map { "\(identifier: $0)" },
            options: options,
            condition: condition
        )
    }

    /// Creates an index on the specified expressions.
    ///
    /// ```swift
    /// try db.create(index: "byLength", on: "player", expressions: ["length(name)"])
    /// ```
    ///
    /// If `condition` is not `nil`, the index contains only the rows that satisfy the condition.
    ///
    /// - Throws: A ``DatabaseError``, for example if the rows are not unique.
    public func create(
        index name: String,
        on table: String,
        expressions: [SQL],
        options: IndexOptions = [],
        condition: SQL? = nil
    ) throws {
        let index = IndexDefinition(
            name: name,
            table: table,
            expressions: expressions,
            options: options,
            condition: condition
        )
        try execute(sql: index.sql.inlined())
    }

    /// Creates an index on the specified columns, named `index_table_on_column_column`.
    ///
    /// - Throws: A ``DatabaseError``, for example if the rows are not unique.
    public func create(
        indexOn table: String,
        columns: [String],
        options: IndexOptions = [],
        condition: SQL? = nil
    ) throws {
        let index = IndexDefinition(columns, of: table, options: options, condition: condition)
        try execute(sql: index.sql.inlined())
    }

    /// Removes an index.
    ///
    /// - Throws: A ``DatabaseError``, for example if the index does not exist.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedIdentifier)")
    }

    /// Removes the index on the specified columns, regardless of its name.
    ///
    /// This method has no effect if no such index exists, or if there is more than one.
    ///
    /// - Throws: A ``DatabaseError`` if the table does not exist or the index belongs to a
    ///   constraint.
    public func drop(indexOn table: String, columns: [String]) throws {
        let columns = columns.map { $0.identifierKey }
        let matching = try indexes(on: table).filter { index in
            index.columns.map { $0.identifierKey } == columns
        }
        if let index = matching.first, matching.count == 1 { try drop(index: index.name) }
    }

    /// Rebuilds all indexes that use a collation.
    ///
    /// Call this method after the collation's order has changed.
    public func reindex(collation: CollationName) throws {
        try execute(sql: "REINDEX \(collation.rawValue)")
    }

    /// Rebuilds all indexes that use a collation.
    ///
    /// Call this method after the collation's order has changed.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name.quotedIdentifier))
    }

    /// Runs the statements atomically.
    private func executeTogether(_ statements: [String]) throws {
        guard statements.count != 1 else { return try execute(sql: statements[0]) }
        try inSavepoint {
            for statement in statements { try execute(sql: statement) }
            return .commit
        }
    }
}
