import Foundation
import SQLiteEngine
import Testing

/// Runs the samples in "Database Connections", `DatabaseQueue`, and `DatabasePool`.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseConnectionSampleTests {
    let sample = SampleDatabase()

    @Test func aPathOpensAQueueOrAPool() throws {
        let dbQueue = try DatabaseQueue(path: sample.path)
        let dbPool = try DatabasePool(path: sample.path)
        #expect(dbQueue.path == sample.path)
        #expect(dbPool.path == sample.path)
    }

    @Test func aReadOnlyDatabaseCannotBeWritten() throws {
        try DatabaseQueue(path: sample.path).write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT)")
        }
        var config = Configuration()
        config.readonly = true
        let dbQueue = try DatabaseQueue(path: sample.path, configuration: config)
        try #expect(dbQueue.read { db in try SamplePlayer.fetchCount(db) } == 0)
        let error = #expect(throws: DatabaseError.self) {
            try dbQueue.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func aDatabaseIsCreatedInASeparateFolder() throws {
        let fileManager = FileManager.default
        let directoryURL = URL(fileURLWithPath: sample.folder.path)
            .appendingPathComponent("MyDatabase", isDirectory: true)
        try fileManager.createDirectory(at: directoryURL, withIntermediateDirectories: true)
        let databaseURL = directoryURL.appendingPathComponent("db.sqlite")
        let dbQueue = try DatabaseQueue(path: databaseURL.path)
        try dbQueue.write { db in try db.execute(sql: "CREATE TABLE player (name TEXT)") }
        #expect(fileManager.fileExists(atPath: databaseURL.path))
    }

    @Test func anInMemoryQueueIsIndependent() throws {
        let first = try DatabaseQueue()
        let second = try DatabaseQueue()
        try first.write { db in try db.execute(sql: "CREATE TABLE player (name TEXT)") }
        try #expect(second.read { db in try db.tableExists("player") } == false)
    }

    @Test func aNamedInMemoryQueueIsShared() throws {
        let name = "myDatabase\(UUID().uuidString)"
        let first = try DatabaseQueue(named: name)
        let second = try DatabaseQueue(named: name)
        try first.write { db in try db.execute(sql: "CREATE TABLE player (name TEXT)") }
        try #expect(second.read { db in try db.tableExists("player") })
    }

    @Test func copiesOfADatabaseAreIndependent() throws {
        try sample.makePool().write { db in try SamplePlayer(name: "Arthur").insert(db) }
        let inMemory = try DatabaseQueue.inMemoryCopy(fromPath: sample.path)
        let temporary = try DatabaseQueue.temporaryCopy(fromPath: sample.path)
        for dbQueue in [inMemory, temporary] {
            try dbQueue.write { db in try SamplePlayer(name: "Barbara").insert(db) }
            try #expect(dbQueue.read { db in try SamplePlayer.fetchCount(db) } == 2)
        }
        try DatabaseQueue(path: sample.path).read { db in
            try #expect(SamplePlayer.fetchCount(db) == 1)
        }
    }

    @Test func theClosureDeterminesTheOutcomeOfAQueueTransaction() throws {
        let dbQueue = try sample.makeQueue()
        try dbQueue.inTransaction { db in
            try SamplePlayer(name: "Arthur").insert(db)
            try SamplePlayer(name: "Barbara").insert(db)
            return .commit
        }
        try dbQueue.inTransaction { db in
            try SamplePlayer(name: "Craig").insert(db)
            return .rollback
        }
        try #expect(dbQueue.read { db in try SamplePlayer.fetchCount(db) } == 2)
    }

    @Test func theClosureDeterminesTheOutcomeOfAPoolTransaction() throws {
        let dbPool = try sample.makePool()
        try dbPool.writeInTransaction { db in
            try SamplePlayer(name: "Arthur").insert(db)
            try SamplePlayer(name: "Barbara").insert(db)
            return .commit
        }
        try #expect(dbPool.read { db in try SamplePlayer.fetchCount(db) } == 2)
    }

    @Test func aQueueProvidesItsConnection() throws {
        let dbQueue = try sample.makeQueue()
        let newPlayerCount = try dbQueue.inDatabase { db in
            try SamplePlayer(name: "Arthur").insert(db)
            return try SamplePlayer.fetchCount(db)
        }
        #expect(newPlayerCount == 1)
    }
}
