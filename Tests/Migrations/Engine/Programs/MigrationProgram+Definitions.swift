#if ENGINE_MIGRATIONS || GRDB
import Foundation

#if ENGINE_MIGRATIONS
import SQLiteEngine
#else
import GRDB
#endif

extension MigrationProgram {
    private static func defining(
        _ name: String,
        _ define: @escaping @Sendable (Database) throws -> Void
    ) -> MigrationProgram {
        // The second phase compares the definitions of both libraries.
        let version: Phase = { session in
            let log = Log()
            // Some foreign keys do not match a key.
            var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
            migrator.eraseDatabaseOnSchemaChange = true
            migrator.registerMigration("1") { db in
                log.add("runs 1")
                try define(db)
            }
            try session.migrate(migrator, log)
        }
        return MigrationProgram(name, [version, version])
    }

    /// Migrations that use the table builder.
    static let definitions = [
        defining("columns") { db in
            let collation = DatabaseCollation("by_length2") { left, right in
                left.count < right.count ? .orderedAscending : .orderedDescending
            }
            db.add(collation: collation)
            try db.create(table: "team") { t in
                t.primaryKey("code", .text)
                t.column("motto", .text).collate(collation)
                t.column("name", .text).notNull().unique().collate(.nocase)
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull(onConflict: .ignore).collate(.nocase)
                t.column("email", .text).unique(onConflict: .replace).indexed()
                t.column("score", .integer).defaults(to: 0).check(sql: "score < 100").indexed()
                t.column("title", .text).defaults(to: "it's").check(sql: "title <> ''").notNull()
                t.column("made", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
                t.column("isPlaying", .boolean).defaults(to: true)
                t.column("ratio", .double).defaults(to: 1.5)
                t.column("any")
                t.column("info", .jsonText)
                t.column("binary", .jsonb)
                t.column("twice", .integer).generatedAs(sql: "score * 2", .stored)
                t.column("half", .integer).check(sql: "half > 0").generatedAs(sql: "score / 2")
                t.column("team", .text).indexed().references("team", onDelete: .cascade)
                t.column("other").references("team", column: "name", onUpdate: .setNull)
                t.column(sql: "raw BLOB DEFAULT X'01'")
                t.constraint(sql: "CHECK (any <> 1)")
                t.check(sql: "title <> 'x'")
                t.uniqueKey(["name", "team"])
                t.uniqueKey(["score"], onConflict: .replace)
            }
        },
        defining("keys") { db in
            try db.create(table: "place", options: [.withoutRowID, .strict]) { t in
                t.primaryKey(onConflict: .replace) {
                    t.column("row", .integer)
                    t.column("number", .integer)
                }
                t.column("guest", .text)
            }
            try db.create(table: "visit", options: .ifNotExists) { t in
                t.column("a").notNull()
                t.column("b").indexed()
                t.primaryKey(["a", "b"])
                t.foreignKey(["a", "b"], references: "place", onUpdate: .cascade, deferred: true)
                t.foreignKey(["b", "a"], references: "place", columns: ["row", "number"])
                t.foreignKey(["a", "b"], references: "visit")
            }
            try db.create(table: "node") { t in
                t.column("parent", .integer).references("node")
            }
        },
        defining("associations") { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "countries") { t in t.primaryKey("code", .text) }
            try db.create(table: "plain") { t in t.column("x") }
            try db.create(table: "place") { t in
                t.primaryKey {
                    t.column("row", .integer)
                    t.column("number")
                }
            }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).indexed()
                t.belongsTo("team", onDelete: .cascade, onUpdate: .setDefault, deferred: true)
                    .notNull()
                t.belongsTo("country")
                t.belongsTo("guestTeam", inTable: "team", indexed: false)
                t.belongsTo("plain").unique()
                t.belongsTo("place")
                t.belongsTo("reserved", inTable: "place", onDelete: .setNull).unique()
                t.belongsTo("unindexed", inTable: "place", indexed: false).notNull(
                    onConflict: .fail
                )
                t.column("last", .integer).indexed()
                t.foreignKey(["last"], references: "team")
                t.belongsTo("captain", inTable: "player").notNull()
            }
            try db.create(table: "Members", options: .ifNotExists) { t in
                t.primaryKey {
                    t.belongsTo("team")
                    t.belongsTo("place")
                }
                t.belongsTo("member")
            }
            try db.create(table: "nodes") { t in t.belongsTo("node") }
        },
        defining("an association of a missing table") { db in
            try db.create(table: "player") { t in t.belongsTo("team") }
        },
        defining("an association of a missing named table") { db in
            try db.create(table: "player") { t in t.belongsTo("team", inTable: "clubs") }
        },
        defining("alterations") { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("a")
            }
            try db.alter(table: "player") { t in
                t.add(column: "score", .integer).notNull().defaults(to: 5).indexed()
                t.add(column: "teamId", .integer).references("team", onDelete: .cascade)
                t.add(column: "ownId", .integer).references("player")
                t.addColumn(sql: "raw DEFAULT 'x'")
                t.rename(column: "a", to: "b")
            }
            try db.alter(table: "player") { t in t.drop(column: "b") }
            try db.create(index: "i", on: "player", columns: ["score", "raw"], options: .unique)
            try db.create(indexOn: "player", columns: ["raw"], options: .ifNotExists)
            try db.rename(table: "team", to: "club")
            try db.drop(indexOn: "player", columns: ["score"])
        },
        defining("views") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("score", .integer)
            }
            try db.execute(sql: "INSERT INTO player VALUES (1, 5), (2, 50)")
            try db.create(
                view: "winner",
                asLiteral: "SELECT * FROM player WHERE score > \(10) AND 'it''s' <> \("it's")"
            )
            try db.create(
                view: "renamed",
                options: .ifNotExists,
                columns: ["number", "points"],
                as: SQLRequest<Row>(sql: "SELECT * FROM winner")
            )
            try db.create(view: "passing", options: .temporary, asLiteral: "SELECT 1 AS one")
            try db.create(view: "dropped", asLiteral: "SELECT 2")
            try db.drop(view: "dropped")
            try db.execute(sql: "CREATE TABLE result AS SELECT * FROM renamed, passing")
            try db.drop(view: "passing")
        },
        defining("a view that exists") { db in
            try db.create(view: "v", asLiteral: "SELECT 1")
            try db.create(view: "v", options: .ifNotExists, asLiteral: "SELECT 2")
            try db.create(view: "v", asLiteral: "SELECT 3")
        },
        defining("a view that does not exist") { db in try db.drop(view: "v") },
    ]
}
#endif
