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
                return try StatisticsCheck.findings(database, tables)
                    + ForeignKeyCheck.findings(database, tables)
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
        _ tables: [SchemaChecks.Table]
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
