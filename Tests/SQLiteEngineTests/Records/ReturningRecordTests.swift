import SQLiteEngine
import Testing

struct ReturningRecordTests {
    /// A new player without the columns that SQLite fills in.
    private struct NewPlayer: Encodable, PersistableRecord {
        static let databaseTableName = "player"
        var name: String
    }

    @Test func anInsertionReturnsColumnsFilledByTheTable() throws {
        try Player.makeEmptyQueue().write { db in
            let player = try NewPlayer(name: "Arthur").insertAndFetch(db, as: Player.self)
            #expect(player == Player(id: 1, name: "Arthur", score: 0))
            let score = try NewPlayer(name: "Barbara").insertAndFetch(
                db,
                selection: [Player.Columns.score]
            ) { try Int.fetchOne($0) }
            #expect(score == 0)
            var record = Player(name: "Craig")
            let name = try record.insertAndFetch(db) {
                try String.fetchOne($0)
            } select: {
                [$0.name]
            }
            #expect(name == "Craig")
            #expect(record.id == 3)
            try #expect(Player.fetchCount(db) == 3)
        }
    }

    @Test func anInsertionThatIsIgnoredReturnsNoRow() throws {
        try Player.makeEmptyQueue().write { db in
            _ = try Player(name: "Arthur").inserted(db)
            #expect(throws: RecordError.self) {
                try Player(name: "Arthur").insertAndFetch(db, onConflict: .ignore)
            }
        }
    }

    @Test func anUpdateReturnsTheRow() throws {
        try Player.makeEmptyQueue().write { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN double AS (score * 2)")
            struct Doubled: Decodable, FetchableRecord, TableRecord {
                static let databaseTableName = "player"
                var double: Int
            }
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            player.score = 4
            try #expect(player.updateAndFetch(db, as: Doubled.self).double == 8)
            try #expect(player.updateAndFetch(db) == player)
            #expect(throws: RecordError.self) {
                try Player(id: 7, name: "Nobody").updateAndFetch(db)
            }
        }
    }

    @Test func savingReturnsTheInsertedOrUpdatedRow() throws {
        try Player.makeEmptyQueue().write { db in
            var player = try Player(name: "Arthur").saveAndFetch(db)
            #expect(player.id == 1)
            player.score = 9
            try #expect(player.saveAndFetch(db) == player)
            let saved = try NewPlayer(name: "Barbara").saveAndFetch(db, as: Player.self)
            #expect(saved.id == 2)
        }
    }
}
