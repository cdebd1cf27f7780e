import Foundation
import SQLiteEngine

/// A path that applies migrations, in a file that the previous migrations have changed.
enum MigrationPath {
    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in
            try db.create(table: "a") { t in t.autoIncrementedPrimaryKey("id") }
            try db.execute(sql: "INSERT INTO a VALUES (1), (2)")
        }
        migrator.registerMigration("b") { db in
            try db.create(table: "b") { t in t.belongsTo("a").notNull() }
            try db.execute(sql: "INSERT INTO b VALUES (1), (2)")
        }
        // The table is recreated, as https://sqlite.org/lang_altertable.html#otheralter describes.
        migrator.registerMigration("c", merging: ["a"]) { db, applied in
            try Violation.check(applied.isEmpty, "the migrations before were \(applied)")
            try db.execute(
                sql: """
                    CREATE TABLE c (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO c SELECT id, hex(randomblob(3000)) FROM a;
                    DROP TABLE a;
                    ALTER TABLE c RENAME TO a;
                    """
            )
        }
        migrator.registerMigration("d", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "CREATE TABLE d (x); INSERT INTO b VALUES (1)")
        }
        return migrator
    }()

    static func run(_ writer: any DatabaseWriter) throws {
        do {
            try migrator.migrate(writer)
            let hasChanges = try writer.read { try migrator.hasSchemaChanges($0) }
            // The table `t` does not belong to the migrations.
            try Violation.check(hasChanges, "another table is not a change of the schema")
        } catch {
            // An unexpected error of this query says nothing about the foreign keys.
            let areEnabled = try? writer.writeWithoutTransaction { db in
                try Bool.fetchOne(db, sql: "PRAGMA foreign_keys")
            }
            try Violation.check(areEnabled != false, "foreign keys are disabled after \(error)")
            throw error
        }
    }

    /// Returns whether an error explains that the temporary file cannot be created.
    static func isExplained(_ error: any Error) -> Bool { error is CocoaError }

    /// Checks that the applied migrations, and no others, have changed the file.
    @Sendable static func check(_ folder: FaultFolder, _ rows: WrittenRows) throws -> String? {
        let queue = try DatabaseQueue(path: folder.database)
        let problem = try queue.read { db -> String? in
            let applied = try migrator.appliedIdentifiers(db).sorted()
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master \
                    WHERE type = 'table' AND length(name) = 1 AND name <> 't' ORDER BY name
                    """
            )
            let states: [[String]: [String]] = [
                []: [], ["a"]: ["a"], ["a", "b"]: ["a", "b"], ["b", "c"]: ["a", "b"],
                ["b", "c", "d"]: ["a", "b", "d"],
            ]
            guard states[applied] == tables else {
                return "the tables \(tables) after the migrations \(applied)"
            }
            let isRecreated = try tables.contains("a") && db.columns(in: "a").count == 2
            guard isRecreated == applied.contains("c") else {
                return "a table does not match the migrations \(applied)"
            }
            try db.checkForeignKeys()
            return nil
        }
        try queue.close()
        return problem
    }
}
