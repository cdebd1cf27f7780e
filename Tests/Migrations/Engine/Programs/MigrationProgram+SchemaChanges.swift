#if ENGINE_MIGRATIONS || GRDB
import Foundation

#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

extension MigrationProgram {
    private static let first =
        "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'A')"

    /// A program in development, whose second version defines its migrations differently.
    private static func developing(
        _ name: String,
        erases: Bool = true,
        between: String? = nil,
        setUp: (@Sendable (Database) throws -> Void)? = nil,
        old: [(String, String)] = [("1", first)],
        _ new: [(String, String)]
    ) -> MigrationProgram {
        let version: @Sendable ([(String, String)]) -> Phase = { migrations in
            { session in
                if let setUp { session.configuration.prepareDatabase(setUp) }
                let log = Log()
                var migrator = DatabaseMigrator()
                migrator.eraseDatabaseOnSchemaChange = erases
                for (name, sql) in migrations { log.sql(sql, name, &migrator) }
                try session.migrate(migrator, log)
            }
        }
        let change: Phase = { session in
            guard let between else { return }
            let writer = try session.open()
            try writer.write { try $0.execute(sql: between) }
            try writer.close()
        }
        return MigrationProgram(name, [version(old), change, version(new)])
    }

    private static let wider = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
        INSERT INTO player VALUES (2, 'B', 1000)
        """

    /// Changes to the definitions of migrations.
    static let schemaChanges = [
        developing("a changed table", [("1", wider)]),
        developing("a changed table, kept", erases: false, [("1", wider)]),
        developing(
            "a changed table, kept, and a failing migration",
            erases: false,
            [("1", wider), ("2", "INSERT INTO player (score) VALUES (1)")]
        ),
        developing("an added migration", [("1", first), ("2", "CREATE TABLE t (x)")]),
        developing("a renamed migration", [("one", wider)]),
        developing(
            "a removed migration",
            old: [("1", first), ("2", "CREATE TABLE t (x)")],
            [("1", first)]
        ),
        developing("an index", [("1", first + "; CREATE INDEX i ON player (name)")]),
        developing("a view", [("1", first + "; CREATE VIEW v AS SELECT 1")]),
        developing(
            "a trigger",
            [("1", first + "; CREATE TRIGGER g AFTER DELETE ON player BEGIN SELECT 1; END")]
        ),
        developing(
            "other white space",
            [("1", first.replacingOccurrences(of: "(id", with: "( id"))]
        ),
        developing("other rows", [("1", first + ", (3, 'C')")]),
        developing("SQLite's own tables", between: "ANALYZE", [("1", first)]),
        developing("a table of other programs", between: "CREATE TABLE other (x)", [("1", first)]),
        developing("an internal name", between: "CREATE TABLE grdb_x (x)", [("1", first)]),
        developing("a pragma's name", between: "CREATE TABLE pragma_x (x)", [("1", first)]),
        developing("a missing table", between: "DROP TABLE player", [("1", first)]),
        developing("a failing definition", [("1", "CREATE TABLE player (x); SELECT * FROM y")]),
        developing(
            "a function of the configuration",
            setUp: { db in
                db.add(function: DatabaseFunction("one", argumentCount: 0, pure: true) { _ in 1 })
            },
            old: [("1", "CREATE TABLE t (x); INSERT INTO t SELECT one()")],
            [("1", "CREATE TABLE t (x, y); INSERT INTO t SELECT one(), one()")]
        ),
    ]
}
#endif
