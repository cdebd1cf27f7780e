extension Database {
    // MARK: Tables

    /// Creates a table, and the indexes of its columns.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - options: How it is created.
    ///   - body: Adds the columns and the constraints.
    /// - Throws: The error that `body` throws; what SQLite says of the definition, in which case
    ///   nothing is created.
    public func create(
        table name: String,
        options: TableOptions = [],
        body: (TableDefinition) throws -> Void
    ) throws {
        let definition = TableDefinition(name: name, options: options)
        try body(definition)
        try executeTogether(definition.statements())
    }

    /// Gives a table another name, in the triggers and views that use it as well.
    ///
    /// - Throws: A ``DatabaseError``.
    public func rename(table name: String, to newName: String) throws {
        try execute(
            sql: "ALTER TABLE \(name.quotedIdentifier) RENAME TO \(newName.quotedIdentifier)"
        )
    }

    /// Changes a table.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - body: Adds the changes.
    /// - Throws: What SQLite says of them, in which case none is made.
    public func alter(table name: String, body: (TableAlteration) -> Void) throws {
        let alteration = TableAlteration(name: name)
        body(alteration)
        try executeTogether(alteration.statements())
    }

    /// Removes a table and all its rows.
    ///
    /// - Throws: A ``DatabaseError``, also when there is no such table.
    public func drop(table name: String) throws {
        try execute(sql: "DROP TABLE \(name.quotedIdentifier)")
    }

    // MARK: Indexes

    /// Creates an index of some columns.
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - table: The name of the table.
    ///   - columns: The columns, in the order of the index.
    ///   - options: How it is created.
    ///   - condition: Which rows are indexed; all of them by default.
    /// - Throws: A ``DatabaseError``, also when the rows are not unique.
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

    /// Creates an index of some expressions.
    ///
    /// ```swift
    /// try db.create(index: "byLength", on: "player", expressions: ["length(name)"])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the index.
    ///   - table: The name of the table.
    ///   - expressions: The expressions, in the order of the index.
    ///   - options: How it is created.
    ///   - condition: Which rows are indexed; all of them by default.
    /// - Throws: A ``DatabaseError``, also when the rows are not unique.
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

    /// Creates an index of some columns, named `table_on_column_column`.
    ///
    /// - Throws: A ``DatabaseError``, also when the rows are not unique.
    public func create(
        indexOn table: String,
        columns: [String],
        options: IndexOptions = [],
        condition: SQL? = nil
    ) throws {
        try create(
            index: IndexDefinition.defaultName(on: table, columns: columns),
            on: table,
            columns: columns,
            options: options,
            condition: condition
        )
    }

    /// Removes an index.
    ///
    /// - Throws: A ``DatabaseError``, also when there is no such index.
    public func drop(index name: String) throws {
        try execute(sql: "DROP INDEX \(name.quotedIdentifier)")
    }

    /// Removes the index of some columns, whatever its name is.
    ///
    /// It does nothing when there is none, and when there are several.
    ///
    /// - Throws: A ``DatabaseError``: no such table, or the index belongs to a constraint.
    public func drop(indexOn table: String, columns: [String]) throws {
        let columns = columns.map { $0.lowercased() }
        let matching = try indexes(on: table).filter { index in
            index.columns.map { $0.lowercased() } == columns
        }
        if let index = matching.first, matching.count == 1 { try drop(index: index.name) }
    }

    /// Sorts all indexes anew that use a collation, after what it answers has changed.
    ///
    /// - Throws: A ``DatabaseError``.
    public func reindex(collation: CollationName) throws {
        try execute(sql: "REINDEX \(collation.rawValue)")
    }

    /// Sorts all indexes anew that use a collation, after what it answers has changed.
    ///
    /// - Throws: A ``DatabaseError``.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name.quotedIdentifier))
    }

    /// Runs all statements, or none.
    private func executeTogether(_ statements: [String]) throws {
        guard statements.count != 1 else { return try execute(sql: statements[0]) }
        try inSavepoint {
            for statement in statements { try execute(sql: statement) }
            return .commit
        }
    }
}
