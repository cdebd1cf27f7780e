#if ENGINE_MIGRATIONS || GRDB
#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

extension MigrationProgram {
    private static let family = """
        CREATE TABLE parent (id INTEGER NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE child (parentId INTEGER REFERENCES parent (id), name TEXT);
        """
    private static let orphan = "INSERT INTO child VALUES (123, 'Bobby')"
    private static let brieflyOrphan = "INSERT INTO child VALUES (1, 'Bobby'); DELETE FROM child"

    /// A program that executes SQL after the tables exist.
    private static func changing(
        _ name: String,
        _ sql: String,
        _ checks: DatabaseMigrator.ForeignKeyChecks,
        unchecked: Bool = false,
        foreignKeys: Bool = true
    ) -> MigrationProgram {
        let version: @Sendable (Bool) -> Phase = { isSecond in
            { session in
                session.configuration.foreignKeysEnabled = foreignKeys
                let log = Log()
                var migrator = DatabaseMigrator()
                log.sql(family, "family", &migrator)
                if unchecked { migrator = migrator.disablingDeferredForeignKeyChecks() }
                log.sql(sql, "change", &migrator, checks: checks)
                log.sql("CREATE TABLE next (x)", "next", &migrator, checks: checks)
                if isSecond { log.sql("CREATE TABLE last (x)", "last", &migrator) }
                try session.migrate(migrator, log)
            }
        }
        return MigrationProgram(name, [version(false), version(true)])
    }

    private static let recreated = """
        INSERT INTO parent VALUES (1, 'Ada'); INSERT INTO child VALUES (1, 'Bobby');
        CREATE TABLE new_parent (id INTEGER NOT NULL PRIMARY KEY);
        INSERT INTO new_parent SELECT id FROM parent;
        DROP TABLE parent;
        ALTER TABLE new_parent RENAME TO parent;
        """

    static let foreignKeys = [
        changing("a violated foreign key, deferred", orphan, .deferred),
        changing("a violated foreign key, immediate", orphan, .immediate),
        changing("a violated foreign key, unchecked", orphan, .deferred, unchecked: true),
        changing(
            "a violated foreign key, immediate or unchecked",
            orphan,
            .immediate,
            unchecked: true
        ),
        changing("foreign keys off", orphan, .deferred, foreignKeys: false),
        changing("foreign keys off, immediate", orphan, .immediate, foreignKeys: false),
        changing("briefly violated, deferred", brieflyOrphan, .deferred),
        changing("briefly violated, immediate", brieflyOrphan, .immediate),
        changing("briefly violated, unchecked", brieflyOrphan, .deferred, unchecked: true),
        changing("a recreated table, deferred", recreated, .deferred),
        changing("a recreated table, immediate", recreated, .immediate),
        changing(
            "a deferred constraint, immediate",
            """
            CREATE TABLE late (x REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO late VALUES (7)
            """,
            .immediate
        ),
        changing(
            "a violation without a rowid",
            """
            CREATE TABLE keyed (a INTEGER PRIMARY KEY, b REFERENCES parent) WITHOUT ROWID;
            INSERT INTO keyed VALUES (5, 6)
            """,
            .deferred
        ),
        changing(
            "a pragma in a migration",
            "PRAGMA foreign_keys = ON; INSERT INTO child VALUES (9, 'Carl')",
            .deferred
        ),
        MigrationProgram(
            "an orphan before a merge",
            [
                { session in
                    let log = Log()
                    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
                    log.sql(family, "v1", &migrator)
                    log.sql(orphan, "v2", &migrator)
                    try session.migrate(migrator, log)
                },
                { session in
                    let log = Log()
                    var migrator = DatabaseMigrator()
                    log.merged("v2", ["v1"], creating: [], &migrator)
                    try session.migrate(migrator, log)
                    log.sql("DELETE FROM child", "v3", &migrator)
                    log.table("v4", &migrator)
                    try session.migrate(migrator, log)
                },
            ]
        ),
    ]
}
#endif
