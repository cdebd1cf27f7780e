import SQLiteEngine
import Testing

/// Runs the samples in "Moving from GRDB".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedMovingFromGRDBTests {
    private typealias Player = DocumentedPlayer
    private let documented = DocumentedDatabase()
    private var path: String { documented.path }

    @Test func changingTheImport() throws {
        _ = try documented.makePool()
        // sample
        let dbPool = try DatabasePool(path: path)
        try dbPool.write { db in
            try Player(name: "Arthur", score: 1000).insert(db)
        }
        let players = try dbPool.read { db in
            try Player.fetchAll(db)
        }
        // end
        #expect(players == [Player(name: "Arthur", score: 1000)])
    }

    @Test func migrating() throws {
        let dbPool = try documented.makePool()
        for _ in 1...2 {
            // sample
            try dbPool.write { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                if version < 1 {
                    try db.execute(
                        sql: """
                            CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                            ALTER TABLE player ADD COLUMN team INTEGER REFERENCES team (id);
                            PRAGMA user_version = 1;
                            """
                    )
                }
            }
            // end
        }
        #expect(try dbPool.read { try $0.tableExists("team") })
    }
}
