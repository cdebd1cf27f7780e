import Foundation
import SQLiteEngine
import Testing

/// Runs the samples on the front page and in "Connections".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedConnectionsTests {
    private let documented = DocumentedDatabase()
    private var path: String { documented.path }

    @Test func theFirstSample() throws {
        _ = try documented.makePool()
        // sample
        let pool = try DatabasePool(path: path)
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO player (name, score) VALUES (?, ?)",
                arguments: ["Arthur", 1000]
            )
        }
        let best = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player")
        }
        // end
        #expect(best == 1000)
    }

    @Test func opening() throws {
        // sample
        let pool = try DatabasePool(path: path)
        // end
        // sample
        let queue = try DatabaseQueue()
        // end
        try pool.write(documented.createTable)
        try queue.write(documented.createTable)
        for writer in [pool, queue] as [any DatabaseWriter] {
            let count = try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
            #expect(count == 0)
        }
    }

    @Test func configuring() throws {
        // sample
        var configuration = Configuration()
        configuration.label = "players"
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -8000")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        // end
        let size = try pool.read { db in try Int.fetchOne(db, sql: "PRAGMA cache_size") }
        #expect(size == -8000)
        #expect(pool.status().connections.map(\.label) == ["players.writer", "players.reader.1"])
    }

    @Test func readingAndWriting() throws {
        let pool = try documented.makePool()
        // sample
        try pool.write { db in
            try db.execute(
                sql: "INSERT INTO player (name, score) VALUES (?, ?)",
                arguments: ["Barbara", 500]
            )
        }
        let names = try pool.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY score DESC")
        }
        // end
        #expect(names == ["Barbara"])
    }

    @Test func records() throws {
        // sample
        struct Player: Codable, FetchableRecord, PersistableRecord {
            var name: String
            var score: Int
        }
        // end
        let pool = try documented.makePool()
        // sample
        let players = try pool.write { db in
            try Player(name: "Craig", score: 300).insert(db)
            return try Player.fetchAll(db)
        }
        // end
        #expect(players.map(\.score) == [300])
    }

    @Test func errors() throws {
        let pool = try documented.makePoolWithThreePlayers()
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }
        // sample
        do {
            try pool.write { db in
                try db.execute(sql: "INSERT INTO player (id, name) VALUES (1, 'Arthur')")
            }
        } catch DatabaseError.SQLITE_CONSTRAINT {
            print("This player already exists.")
        }
        // end
        #expect(lines.count == 1)
    }

    @Test func copyingAndClosing() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let copyPath = documented.folder.file("copy.sqlite")
        // sample
        let copy = try DatabaseQueue(path: copyPath)
        try pool.backup(to: copy)
        // end
        let count = try copy.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 3)
        // sample
        try pool.close()
        // end
        #expect(throws: DatabaseError.self) { try pool.read { _ in } }
    }
}
