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
}
