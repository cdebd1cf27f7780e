import SQLiteEngine
import Telemetry

/// Checks that require SQLite and run on a copy of a database.
///
/// The schema is not trusted, because views and triggers may call functions. Therefore, the checks
/// only list the schema, count rows, and explain statements.
enum SchemaChecks {
    typealias Finding = DatabaseExamination.Finding

    struct Table {
        var name: String
        /// The number of rows, at most ``SchemaChecks/largeRows`` + 1.
        var rows: Int
        var hasIndex: Bool

        var isLarge: Bool { rows > largeRows }
    }

    /// The number of rows above which the planner's estimates are important.
    static let largeRows = 10_000
    /// The maximum number of tables and keys to list.
    static let limit = 20

    static func findings(on path: String) -> [Finding] {
        do {
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { database in
                // See https://sqlite.org/security.html, "Untrusted SQLite Database Files".
                try database.execute(
                    sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
                )
                let tables = try tables(database)
                return try StatisticsCheck.findings(database, tables: tables)
                    + ForeignKeyCheck.findings(database, tables: tables)
            }
        } catch {
            return [unreadable(error)]
        }
    }

    private static func unreadable(_ error: any Error) -> Finding {
        guard let error = error as? DatabaseError,
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_IOERR].contains(error.resultCode)
        else {
            return Finding(
                part: .copy,
                mark: .problem,
                text: "SQLite cannot read a copy of the database: \(error)",
                remedy: "Run PRAGMA integrity_check on the database."
            )
        }
        let reason =
            "SQLite error \(error.resultCode.rawValue)" + (error.message.map { ": \($0)" } ?? "")
        return Finding(
            part: .copy,
            mark: .problem,
            text: "The database is truncated or damaged (\(reason)).",
            remedy: "Restore it from a backup, or try the .recover command of the sqlite3 shell."
        )
    }

    private static func tables(_ database: Database) throws -> [Table] {
        // Exclude virtual tables, which have no root page, because this process may not have their
        // modules.
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_schema
                WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                ORDER BY name
                """
        )
        return try names.map { name in
            let rows = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM (SELECT 1 FROM \(quoted(name)) LIMIT \(largeRows + 1))"
            )
            let indexes = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM pragma_index_list(?)",
                arguments: [name]
            )
            return Table(name: name, rows: rows ?? 0, hasIndex: (indexes ?? 0) > 0)
        }
    }

    /// Quotes a name as an SQL identifier.
    static func quoted(_ name: String) -> String {
        name.quoted(by: "\"")
    }

    /// Joins the first five names, followed by the number of other names.
    static func list(_ names: [String]) -> String {
        let listedNames = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(listedNames) and \(names.count - 5) more" : listedNames
    }
}

/// A check for large tables without statistics (https://sqlite.org/lang_analyze.html).
enum StatisticsCheck {
    static func findings(
        _ database: Database,
        tables: [SchemaChecks.Table]
    ) throws -> [SchemaChecks.Finding] {
        // For a table without an index, the planner has no choice.
        let largeTables = tables.filter { $0.isLarge && $0.hasIndex }.map(\.name)
        let hasStatistics = try Bool.fetchOne(
            database,
            sql: "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'sqlite_stat1'"
        )
        let analyzedTables =
            hasStatistics == true
            ? Set(try String.fetchAll(database, sql: "SELECT DISTINCT tbl FROM sqlite_stat1")) : []
        let unanalyzedTables = largeTables.filter { !analyzedTables.contains($0) }
        guard !unanalyzedTables.isEmpty else {
            let text =
                largeTables.isEmpty
                ? "No table with an index has more than \(SchemaChecks.largeRows) rows, so the "
                    + "planner does not need statistics."
                : "The planner has statistics for all large tables with an index."
            return [SchemaChecks.Finding(part: .statistics, mark: .ok, text: text)]
        }
        let text =
            analyzedTables.isEmpty
            ? "ANALYZE has never run, although these tables have indexes and more than "
                + "\(SchemaChecks.largeRows) rows: \(SchemaChecks.list(unanalyzedTables)). The planner "
                + "guesses which index to use."
            : "The planner has no statistics for these tables with indexes and more than "
                + "\(SchemaChecks.largeRows) rows: \(SchemaChecks.list(unanalyzedTables))."
        return [
            SchemaChecks.Finding(
                part: .statistics,
                mark: .warning,
                text: text,
                remedy: "Run ANALYZE, and run PRAGMA optimize before closing connections."
            )
        ]
    }
}

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
        tables: [SchemaChecks.Table]
    ) throws -> [SchemaChecks.Finding] {
        let keys = try tables.flatMap { try self.keys(database, of: $0) }
        guard !keys.isEmpty else {
            return [.init(part: .foreignKeys, mark: .ok, text: "The schema has no foreign keys.")]
        }
        let unindexedKeys = try keys.filter { try !hasIndex(database, key: $0) }
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
    private static func hasIndex(_ database: Database, key: Key) throws -> Bool {
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
