import SQLiteEngine

@testable import Rehearsal

extension FuzzTarget {
    /// The schema before the migrations.
    private static let tables = [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)", "CREATE TABLE new (id, a, b)",
        "CREATE TABLE other (id, rowid)", "CREATE VIEW seen AS SELECT * FROM t",
    ]

    private static let facts = BatchedMigration.Facts(
        tables: [
            ("t", "id", ["id", "a", "b"], true), ("new", nil, ["id", "a", "b"], true),
            ("other", nil, ["id", "rowid"], true), ("seen", nil, ["id", "a", "b"], false),
        ]
        .map { name, key, columns, isOrdinary in
            TableFacts(
                name: name,
                key: key,
                hasRowIDs: isOrdinary,
                columns: columns,
                hasTriggers: false,
                isOrdinary: isOrdinary
            )
        },
        freePages: nil,
        autoVacuum: nil
    )

    static let migration = FuzzTarget(
        name: "migration",
        seeds: [
            "BEGIN; UPDATE t SET a = 1 WHERE b > 2; COMMIT;",
            "DELETE FROM t WHERE a IN (SELECT id FROM other) -- c\n; VACUUM",
            "INSERT INTO new (id, a) SELECT id, a FROM t AS x WHERE x.a IS NOT NULL",
            "CREATE TABLE x (a);\nDROP TABLE t; ALTER TABLE x RENAME TO t; ANALYZE",
        ].map { Array($0.utf8) },
        words: [
            "UPDATE ", "DELETE FROM ", "INSERT INTO ", "SELECT ", " FROM ", " WHERE ", " SET ", "(",
            ")", ",", ";", ".", "main.", "t", "other", "seen", "rowid", "/*", "*/", "--", "\n", "'",
            "\"", "[", "`", " AS ", " NOT INDEXED", "BEGIN;", "COMMIT;", "SAVEPOINT a;",
            "CREATE TRIGGER ", "x'", ":a", "\0", "datetime('now')",
        ]
    ) { bytes in
        var script: MigrationScript?
        try expectMessage { script = try MigrationScript(text(bytes)) }
        guard let script else { return }
        let migration = BatchedMigration(
            script,
            holds: script.statements.map { _ in 2 },
            maximumHold: 1,
            facts: facts
        )
        _ = BatchedScript.python(migration, maximumHold: 1, source: text(bytes))
        let queue = try DatabaseQueue()
        try queue.write { db in
            for sql in tables { try db.execute(sql: sql) }
            for statement in script.statements {
                guard let batched = try? BatchedStatement(statement, tables: facts.tables),
                    (try? db.makeStatement(sql: statement.sql)) != nil
                else { continue }
                for sql in [batched.sql, batched.boundsSQL, batched.nextSQL] {
                    do { _ = try db.makeStatement(sql: sql) } catch {
                        throw WrongResult("'\(sql)' cannot be prepared: \(error)")
                    }
                }
            }
        }
    }
}
