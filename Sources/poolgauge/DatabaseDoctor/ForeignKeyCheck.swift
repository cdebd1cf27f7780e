import SQLiteEngine

/// A check for foreign keys without an index on the child table.
///
/// When a parent row is deleted or its key changes, SQLite searches for child rows. Without an
/// index, each search reads the entire child table (https://sqlite.org/foreignkeys.html, section
/// 3).
enum ForeignKeyCheck {
    private struct Key {
        var child: SchemaChecks.Table
        var parent: String
        var columns: [String]
    }

    static func findings(
        _ database: Database,
        _ tables: [SchemaChecks.Table]
    ) throws -> [SchemaChecks.Finding] {
        let keys = try tables.flatMap { try self.keys(database, of: $0) }
        guard !keys.isEmpty else {
            return [.init(part: .foreignKeys, mark: .ok, text: "The schema has no foreign keys.")]
        }
        let unindexedKeys = try keys.filter { try !hasIndex(database, $0) }
            .sorted { $0.child.rows > $1.child.rows }
        guard !unindexedKeys.isEmpty else {
            let text =
                keys.count == 1
                ? "The foreign key has an index."
                : "All \(keys.count) foreign keys have an index."
            return [.init(part: .foreignKeys, mark: .ok, text: text)]
        }
        var results = try unindexedKeys.prefix(SchemaChecks.limit).map { key in
            finding(key, index: try unusedName(database, for: key))
        }
        let unlistedCount = unindexedKeys.count - results.count
        if unlistedCount > 0 {
            results.append(
                .init(
                    part: .foreignKeys,
                    mark: .note,
                    text: unlistedCount == 1
                        ? "1 more foreign key has no index."
                        : "\(unlistedCount) more foreign keys have no index."
                )
            )
        }
        return results
    }

    /// Returns an unused name for an index on a foreign key.
    private static func unusedName(_ database: Database, for key: Key) throws -> String {
        let name = ([key.child.name] + key.columns).joined(separator: "_")
        var number = 1
        while true {
            let candidate = number == 1 ? name : "\(name)_\(number)"
            let isTaken = try Bool.fetchOne(
                database,
                sql: "SELECT count(*) > 0 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                arguments: [candidate]
            )
            guard isTaken == true else { return candidate }
            number += 1
        }
    }

    private static func finding(_ key: Key, index: String) -> SchemaChecks.Finding {
        let columns = key.columns.joined(separator: ", ")
        let quoted = key.columns.map(SchemaChecks.quoted).joined(separator: ", ")
        let index = SchemaChecks.quoted(index)
        let rows = key.child.isLarge ? "more than \(SchemaChecks.largeRows)" : "\(key.child.rows)"
        return .init(
            part: .foreignKeys,
            mark: key.child.isLarge ? .warning : .note,
            text:
                "\(key.child.name)(\(columns)) refers to \(key.parent) without an index: if "
                + "foreign keys are enforced, deleting a row from \(key.parent) reads all rows of "
                + "\(key.child.name) (\(rows)).",
            remedy: "CREATE INDEX \(index) ON \(SchemaChecks.quoted(key.child.name))(\(quoted));"
        )
    }

    private static func keys(_ database: Database, of table: SchemaChecks.Table) throws -> [Key] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, "table", "from" FROM pragma_foreign_key_list(?) ORDER BY id, seq
                """,
            arguments: [table.name]
        )
        var keys: [Key] = []
        var last: Int?
        for row in rows {
            let (id, parent, column): (Int, String, String) = (row[0], row[1], row[2])
            if id != last { keys.append(Key(child: table, parent: parent, columns: [])) }
            keys[keys.count - 1].columns.append(column)
            last = id
        }
        return keys
    }

    /// Returns whether the planner uses an index to find the child rows of a foreign key.
    ///
    /// The `.lint fkey-indexes` command of the SQLite shell performs the same check.
    private static func hasIndex(_ database: Database, _ key: Key) throws -> Bool {
        let condition = key.columns.map { SchemaChecks.quoted($0) + " = ?" }
            .joined(separator: " AND ")
        let plan = try Row.fetchAll(
            database,
            sql: """
                EXPLAIN QUERY PLAN
                SELECT 1 FROM \(SchemaChecks.quoted(key.child.name)) WHERE \(condition)
                """,
            arguments: StatementArguments(key.columns.map { _ in Int?.none })
        )
        return plan.contains { row in
            let detail: String = row["detail"]
            return detail.hasPrefix("SEARCH")
        }
    }
}
