import SQLiteEngine
import Testing

// sample
extension Player {
    static func named(_ name: String) -> SQLRequest<Player> {
        "SELECT * FROM player WHERE name = \(name)"
    }
}
// end

/// Runs the samples in the comments of schema definitions, SQL literals, and requests.
@Suite(.timeLimit(.minutes(1)))
struct SchemaCommentSamplesTests {
    private let documented = DocumentedDatabase()

    @Test func definitions() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            // sample
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("teamId", .integer).indexed().references("team", onDelete: .cascade)
                t.uniqueKey(["name", "teamId"])
            }
            // end
            // sample
            try db.create(index: "byLength", on: "player", expressions: ["length(name)"])
            // end
            try db.create(table: "seat") { t in
                // sample
                t.primaryKey {
                    t.column("teamId", .integer).references("team")
                    t.column("number", .integer)
                }
                // end
                // sample
                t.column("email", .text).notNull().unique(onConflict: .replace).collate(.nocase)
                // end
                // sample
                t.column("score", .integer).check { "\($0) >= 0" }
                // end
            }
            #expect(try db.primaryKey("seat").columns == ["teamId", "number"])
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO seat VALUES (NULL, 1, 'a', -1)")
            }
        }
    }

    @Test func associations() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "team") { t in t.autoIncrementedPrimaryKey("id") }
            // sample
            try db.create(table: "player") { t in
                t.belongsTo("team", onDelete: .cascade).notNull()
            }
            // end
            #expect(try db.foreignKeys(on: "player").map(\.originColumns) == [["teamId"]])
            try db.create(table: "match") { t in
                // sample
                t.belongsTo("team", onDelete: .cascade)
                t.belongsTo("guest", inTable: "player")
                // end
            }
            #expect(try db.columns(in: "match").map(\.name) == ["teamId", "guestId"])
        }
    }

    @Test func views() throws {
        let pool = try documented.makePoolWithThreePlayers()
        try pool.write { db in
            // sample
            try db.create(view: "winner", asLiteral: "SELECT * FROM player WHERE score > \(1_000)")
            // end
            #expect(try db.viewExists("winner"))
        }
    }

    @Test func migrations() throws {
        let pool = try DatabasePool(path: documented.path)
        // sample
        var migrator = DatabaseMigrator()
        migrator.registerMigration("players") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
        }
        migrator.registerMigration("scores") { db in
            try db.alter(table: "player") { t in t.add(column: "score", .integer) }
        }
        try migrator.migrate(pool)
        // end
        let columns = try pool.read { db in try db.columns(in: "player").map(\.name) }
        #expect(columns == ["id", "name", "score"])
    }

    @Test func mergedMigrations() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        // sample
        migrator.registerMigration("scores", merging: ["players"]) { db, applied in
            if !applied.contains("players") {
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            }
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
        }
        // end
        try migrator.migrate(queue)
        #expect(try queue.read { db in try db.columns(in: "player").count } == 3)
    }

    @Test func alterations() throws {
        let pool = try documented.makePoolWithThreePlayers()
        try pool.write { db in
            // sample
            try db.alter(table: "player") { t in
                t.rename(column: "score", to: "points")
                t.add(column: "bonus", .integer).notNull().defaults(to: 0)
            }
            // end
            let best = try Int.fetchOne(db, sql: "SELECT max(points + bonus) FROM player")
            #expect(best == 1000)
        }
    }

    @Test func schemaSources() throws {
        var configuration = Configuration()
        // sample
        struct Views: DatabaseSchemaSource {
            func columnsForPrimaryKey(
                _ db: Database,
                inView view: DatabaseObjectID
            ) throws -> [String]? { view.name == "activePlayer" ? ["id"] : nil }
        }
        configuration.schemaSource = Views()
        // end
        try DatabaseQueue(configuration: configuration).write { db in
            try documented.createTable(db)
            try db.execute(sql: "CREATE VIEW activePlayer AS SELECT * FROM player")
            #expect(try db.primaryKey("activePlayer").columns == ["id"])
        }
    }

    @Test func literals() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let (score, id, team, minimumScore) = (7, 1, "Arthur", Optional(5))
        try pool.write { db in
            // sample
            try db.execute(literal: "UPDATE player SET score = \(score) WHERE id = \(id)")
            // end
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN name TO team")
            // sample
            var query: SQL = "SELECT * FROM player WHERE team = \(team)"
            if let minimumScore { query += " AND score >= \(minimumScore)" }
            let statement = try db.makeStatement(literal: query)
            // end
            #expect(try Row.fetchAll(statement).count == 1)
        }
    }

    @Test func requests() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let minimumScore = 500
        // sample
        let best: SQLRequest<Player> = "SELECT * FROM player WHERE score >= \(minimumScore)"
        let players = try pool.read { db in try best.fetchAll(db) }
        // end
        #expect(players.count == 2)
        #expect(try pool.read { try Player.named("Craig").fetchOne($0) }?.score == 300)
    }
}
