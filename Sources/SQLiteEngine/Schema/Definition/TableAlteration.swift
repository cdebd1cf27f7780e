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
