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

/// The options for creating a table.
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing table with the same name instead of failing.
    public static let ifNotExists = TableOptions(rawValue: 1)
    /// An option to create a temporary table, which is removed when the connection closes.
    public static let temporary = TableOptions(rawValue: 2)
    /// An option to store rows by primary key, without a rowid.
    ///
    /// See <https://sqlite.org/withoutrowid.html>.
    public static let withoutRowID = TableOptions(rawValue: 4)
    /// An option to require values to have the type of their column.
    ///
    /// See <https://sqlite.org/stricttables.html>.
    public static let strict = TableOptions(rawValue: 8)
}

/// The options for creating a view.
public struct ViewOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing view with the same name instead of failing.
    public static let ifNotExists = ViewOptions(rawValue: 1)
    /// An option to create a temporary view, which is removed when the connection closes.
    public static let temporary = ViewOptions(rawValue: 2)
}

/// The options for creating an index.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An option to keep an existing index with the same name instead of failing.
    public static let ifNotExists = IndexOptions(rawValue: 1)
    /// An option to prevent two rows from having the same values.
    public static let unique = IndexOptions(rawValue: 2)
}

extension Database {
    /// The action on referencing rows when the referenced row is deleted or its key changes.
    ///
    /// See <https://sqlite.org/foreignkeys.html#fk_actions>.
    public enum ForeignKeyAction: String, Sendable {
        /// The referencing rows are deleted, or their foreign keys are updated.
        case cascade = "CASCADE"
        /// The change fails, even if the check is deferred.
        case restrict = "RESTRICT"
        /// The foreign keys are set to `NULL`.
        case setNull = "SET NULL"
        /// The foreign keys are set to the default value of the column.
        case setDefault = "SET DEFAULT"
    }

    /// The name of a collation.
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates a collation name from the name in SQL.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// SQLite's default collation, which compares bytes.
        public static let binary = CollationName(rawValue: "BINARY")
        /// The collation that ignores the case of ASCII letters.
        public static let nocase = CollationName(rawValue: "NOCASE")
        /// The collation that compares bytes and ignores trailing spaces.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}

/// A sequence of changes to a table, which are applied in order.
///
/// ```swift
/// try db.alter(table: "player") { t in
///     t.rename(column: "score", to: "points")
///     t.add(column: "bonus", .integer).notNull().defaults(to: 0)
/// }
/// ```
public final class TableAlteration {
    private enum Change {
        case add(ColumnDefinition)
        case literal(SQL)
    }

    private let name: String
    private var changes: [Change] = []

    init(name: String) { self.name = name }

    /// Adds a column after the existing columns.
    ///
    /// SQLite rejects a column if existing rows would violate the column's constraints. See
    /// <https://sqlite.org/lang_altertable.html#altertabaddcol>.
    @discardableResult
    public func add(
        column name: String,
        _ type: Database.ColumnType? = nil
    ) -> ColumnDefinition {
        let column = ColumnDefinition(name: name, type: type)
        changes.append(.add(column))
        return column
    }

    /// Adds a column that is defined in SQL.
    public func addColumn(sql: String) { addColumn(literal: SQL(sql: sql)) }

    /// Adds a column that is defined in SQL.
    public func addColumn(literal: SQL) {
        changes.append(.literal("ADD COLUMN \(literal: literal)"))
    }

    /// Renames a column, and updates the indexes, triggers, and views that reference it.
    public func rename(column name: String, to newName: String) {
        changes.append(.literal("RENAME COLUMN \(identifier: name) TO \(identifier: newName)"))
    }

    /// Removes a column and its values.
    ///
    /// SQLite rejects the removal of a column that is used elsewhere in the schema. See
    /// <https://sqlite.org/lang_altertable.html#altertabdropcol>.
    public func drop(column name: String) {
        changes.append(.literal("DROP COLUMN \(identifier: name)"))
    }

    func statements(_ db: Database) throws -> [String] {
        try changes.flatMap { change in
            switch change {
            case .literal(let literal): return [try alteration(literal)]
            case .add(let column):
                let sql = try column.sql(ReferencedKeys(db))
                let addition = try alteration("ADD COLUMN \(literal: sql)")
                guard column.needsIndex else { return [addition] }
                let index = IndexDefinition(column, of: name, options: [])
                return [addition, try index.sql.inlined()]
            }
        }
    }

    private func alteration(_ change: SQL) throws -> String {
        try ("ALTER TABLE \(identifier: name) \(literal: change)" as SQL).inlined()
    }
}

@available(*, unavailable)
extension TableAlteration: Sendable {}
