#if ENGINE_MIGRATIONS || GRDB
#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

extension MigrationProgram {
    /// Migrations that are added, removed, and reordered.
    static let order = [
        MigrationProgram(
            "all at once",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                }
            ]
        ),
        MigrationProgram(
            "one version at a time",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                },
            ]
        ),
        MigrationProgram(
            "no migrations",
            [
                { session in
                    try session.migrate(DatabaseMigrator(), Log())
                }
            ]
        ),
        MigrationProgram(
            "nothing left",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
            ]
        ),
        MigrationProgram(
            "up to a migration",
            [
                { session in
                    let log = Log()
                    let migrator = log.tables("a", "b", "c", "d")
                    for target in ["a", "a", "c"] {
                        try session.migrate(migrator, log, upTo: target)
                    }
                },
                { session in
                    let log = Log()
                    let migrator = log.tables("a", "b", "c", "d")
                    try session.migrate(migrator, log, upTo: "c")
                    try session.migrate(migrator, log)
                },
            ]
        ),
        MigrationProgram(
            "inserted between",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "c"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                },
            ]
        ),
        MigrationProgram(
            "inserted first, up to the end",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("b", "c"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log, upTo: "c")
                },
            ]
        ),
        MigrationProgram(
            "reordered",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("b", "c", "a", "d"), log)
                },
            ]
        ),
        MigrationProgram(
            "removed",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "c", "d"), log)
                },
            ]
        ),
        MigrationProgram(
            "an older version",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
            ]
        ),
        MigrationProgram(
            "two branches",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "left"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "right"), log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "left", "right", "z"), log)
                },
            ]
        ),
        MigrationProgram(
            "unusual identifiers",
            [
                { session in
                    let log = Log()
                    var migrator = DatabaseMigrator()
                    for (index, name) in ["", "it's", "\"quoted\"", "É", "a\nb", "A", "a"]
                        .enumerated()
                    {
                        log.sql("CREATE TABLE t\(index) (x)", name, &migrator)
                    }
                    try session.migrate(migrator, log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "A", "b"), log)
                },
            ]
        ),
    ]

    /// Migrations that fail.
    static let failures = [
        MigrationProgram(
            "failing midway",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    log.sql("CREATE TABLE b (x); INSERT INTO missing VALUES (1)", "b", &migrator)
                    log.table("c", &migrator)
                    try session.migrate(migrator, log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b", "c"), log)
                },
            ]
        ),
        MigrationProgram(
            "throwing its own error",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    migrator.registerMigration("b") { db in
                        try db.execute(sql: "INSERT INTO a VALUES (1); CREATE TABLE b (x)")
                        throw Refusal(description: "not today")
                    }
                    try session.migrate(migrator, log)
                    try session.migrate(migrator, log)
                },
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a", "b"), log)
                },
            ]
        ),
        MigrationProgram(
            "a syntax error",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    log.sql("CREATE TALE b (x)", "b", &migrator)
                    try session.migrate(migrator, log)
                }
            ]
        ),
        MigrationProgram(
            "rows that violate a new index",
            [
                { session in
                    let log = Log()
                    var migrator = DatabaseMigrator()
                    log.sql("CREATE TABLE t (x); INSERT INTO t VALUES (1), (1)", "rows", &migrator)
                    log.sql("CREATE UNIQUE INDEX t_x ON t (x)", "index", &migrator)
                    try session.migrate(migrator, log)
                },
                { session in
                    let log = Log()
                    var migrator = DatabaseMigrator()
                    log.sql("CREATE TABLE t (x)", "rows", &migrator)
                    log.sql("DELETE FROM t WHERE rowid > 1", "repair", &migrator)
                    log.sql("CREATE UNIQUE INDEX t_x ON t (x)", "index", &migrator)
                    try session.migrate(migrator, log)
                },
            ]
        ),
        MigrationProgram(
            "an error that the migration ignores",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    migrator.registerMigration("b") { db in
                        try db.execute(sql: "INSERT INTO a VALUES (1)")
                        do { try db.execute(sql: "INSERT INTO a VALUES (1)") } catch {
                            log.add("\(error)")
                        }
                        try db.execute(sql: "INSERT INTO a VALUES (2)")
                    }
                    try session.migrate(migrator, log)
                }
            ]
        ),
        MigrationProgram(
            "savepoints",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    migrator.registerMigration("b") { db in
                        try db.inSavepoint {
                            try db.execute(sql: "INSERT INTO a VALUES (1)")
                            return .rollback
                        }
                        try db.inSavepoint {
                            try db.execute(sql: "INSERT INTO a VALUES (2)")
                            return .commit
                        }
                    }
                    try session.migrate(migrator, log)
                }
            ]
        ),
        MigrationProgram(
            "a rollback by SQLite",
            [
                { session in
                    let log = Log()
                    var migrator = log.tables("a")
                    log.sql(
                        "INSERT INTO a VALUES (1); INSERT OR ROLLBACK INTO a VALUES (1)",
                        "b",
                        &migrator
                    )
                    try session.migrate(migrator, log)
                }
            ]
        ),
        MigrationProgram(
            "a table of the migrator that is in use",
            [
                { session in
                    let writer = try session.open()
                    try writer.write { db in
                        try db.execute(sql: "CREATE TABLE grdb_migrations (other TEXT)")
                    }
                    let log = Log()
                    session.add("migrates") { try log.tables("a").migrate(writer) }
                    try writer.close()
                }
            ]
        ),
        MigrationProgram(
            "a read-only file",
            [
                { session in
                    let log = Log()
                    try session.migrate(log.tables("a"), log)
                },
                { session in
                    session.configuration.readonly = true
                    let log = Log()
                    let writer = try session.open()
                    session.add("migrated, nothing left") { try log.tables("a").migrate(writer) }
                    session.add("migrated") { try log.tables("a", "b").migrate(writer) }
                    try session.describe(log.tables("a", "b"), writer)
                },
            ]
        ),
    ]
}
#endif
