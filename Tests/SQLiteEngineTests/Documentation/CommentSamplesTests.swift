import Dispatch
import SQLiteEngine
import Telemetry
import Testing

/// Runs the samples in declaration comments.
@Suite(.timeLimit(.minutes(1)))
struct CommentSamplesTests {
    private typealias Player = DocumentedPlayer
    private let documented = DocumentedDatabase()
    private var path: String { documented.path }

    private func count(in reader: any DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
    }

    @Test func accessSites() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        func players(fileID: StaticString = #fileID, line: UInt = #line) throws -> [Player] {
            try pool.read(at: AccessSite(fileID: fileID, line: line)) { db in
                try Player.fetchAll(db)
            }
        }
        // end
        #expect(try players().count == 3)
    }

    @Test func queues() throws {
        _ = try documented.makePool()
        // sample
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
        }
        // end
        #expect(try count(in: queue) == 1)
    }

    @Test func pools() throws {
        _ = try documented.makePool()
        // sample
        let pool = try DatabasePool(path: path)
        try pool.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
        }
        let count = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        // end
        #expect(count == 1)
    }

    @Test func snapshots() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let snapshot = try pool.makeSnapshot()
        let count = try snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        // end
        #expect(count == 3)
    }

    @Test func snapshotPools() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let snapshot = try pool.makeSnapshotPool()
        let count = try snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        // end
        #expect(count == 3)
    }

    @Test func backups() throws {
        let source = try documented.makePoolWithThreePlayers()
        let target = try DatabaseQueue()
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        // sample
        try source.read { from in
            try target.writeWithoutTransaction { to in
                try from.backup(to: to, pagesPerStep: 100) { progress in
                    print(progress.completedPageCount, "of", progress.totalPageCount)
                }
            }
        }
        // end
        #expect(printed.isEmpty == false)
        #expect(try count(in: target) == 3)
    }

    @Test func resultCodes() throws {
        let pool = try documented.makePoolWithThreePlayers()
        try pool.write { try $0.execute(sql: "CREATE UNIQUE INDEX names ON player (name)") }
        let player = Player(name: "Arthur", score: 0)
        var printed: [String] = []
        func print(_ line: String) { printed.append(line) }
        // sample
        do {
            try pool.write { db in try player.insert(db) }
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {  // the more specific code first
            print("A player with this name already exists.")
        } catch DatabaseError.SQLITE_CONSTRAINT {
            print("The player violates another constraint.")
        }
        // end
        #expect(printed == ["A player with this name already exists."])
    }

    /// A record that stores its inserted key.
    private struct Numbered: Codable, MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String

        // sample
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        // end
    }

    @Test func insertedKeys() throws {
        let pool = try documented.makePool()
        let player = try pool.write { db in
            var player = Numbered(name: "Arthur")
            try player.insert(db)
            return player
        }
        #expect(player.id == 1)
    }

    @Test func functionsAndCollations() throws {
        try DatabaseQueue().write { db in
            // sample
            let double = DatabaseFunction("double", argumentCount: 1, pure: true) { values in
                Int.fromDatabaseValue(values[0]).map { $0 * 2 }
            }
            db.add(function: double)
            // end
            // sample
            db.add(collation: DatabaseCollation("backwards") { $1.compare($0) })
            // end
            #expect(try Int.fetchOne(db, sql: "SELECT double(21)") == 42)
            let isLess = try Bool.fetchOne(db, sql: "SELECT 'b' < 'a' COLLATE backwards")
            #expect(isLess == true)
        }
    }

    @Test func statementArguments() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (name, score)")
            // sample
            try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: ["Arthur", 1000])
            try db.execute(sql: "UPDATE player SET score = :score", arguments: ["score": 0])
            // end
            #expect(try Int.fetchOne(db, sql: "SELECT score FROM player") == 0)
        }
    }

    @Test func rowAdapters() throws {
        try DatabaseQueue().read { db in
            // sample
            let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 3)])
            let row = try Row.fetchOne(db, sql: "SELECT 1, 2, 3, 4 AS id", adapter: adapter)
            let team = row?.scopes["team"]
            // end
            #expect(team?["id"] == 4)
        }
    }

    @Test func regionObservations() throws {
        let pool = try documented.makePool()
        let changes = Lock(0)
        @Sendable func changed(_ db: Database) { changes.withLock { $0 += 1 } }
        // sample
        let observation = DatabaseRegionObservation(tracking: DatabaseRegion.fullDatabase)
        let cancellable = observation.start(in: pool) { error in
            print(error)
        } onChange: { db in
            changed(db)  // The next write waits until this closure returns.
        }
        // end
        for _ in 1...2 {
            try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        }
        #expect(changes.withLock { $0 } == 2)
        cancellable.cancel()
    }

    @MainActor @Test func valueObservations() async throws {
        let pool = try documented.makePoolWithThreePlayers()
        var shown: [Int] = []
        func show(_ players: [Player]) { shown.append(players.count) }
        // sample
        let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
        let cancellable = observation.start(in: pool) { error in
            print(error)
        } onChange: { players in
            show(players)
        }
        // end
        while shown.isEmpty { await Task.yield() }
        #expect(shown == [3])
        cancellable.cancel()
    }
}
