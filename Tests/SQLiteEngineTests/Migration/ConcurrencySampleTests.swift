import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples in "Concurrency".
@Suite(.timeLimit(.minutes(1)))
struct ConcurrencySampleTests {
    let sample = SampleDatabase()

    @Test func accessesAreInsideATransaction() throws {
        for writer in try sample.makeWriters() {
            try writer.write { db in #expect(db.isInsideTransaction) }
            try writer.read { db in #expect(db.isInsideTransaction) }
        }
    }

    @Test func synchronousAccessesReturnTheirValue() throws {
        let dbQueue = try sample.makeQueue()
        let playerCount = try dbQueue.read { db in
            try SamplePlayer.fetchCount(db)
        }
        let newPlayerCount = try dbQueue.write { db -> Int in
            try SamplePlayer(name: "Arthur").insert(db)
            return try SamplePlayer.fetchCount(db)
        }
        #expect(playerCount == 0)
        #expect(newPlayerCount == 1)
    }

    @Test func aWriteInsideAWriteStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let dbQueue = try DatabaseQueue()
            try dbQueue.write { db in
                try dbQueue.write { db in try db.execute(sql: "SELECT 1") }
            }
        }
        #expect(result?.message.contains("Database methods are not reentrant.") == true)
    }

    @Test func asynchronousAccessesReturnTheirValue() async throws {
        for writer in try sample.makeWriters() {
            let playerCount = try await writer.read { db in
                try SamplePlayer.fetchCount(db)
            }
            let newPlayerCount = try await writer.write { db -> Int in
                try SamplePlayer(name: "Arthur").insert(db)
                return try SamplePlayer.fetchCount(db)
            }
            #expect(playerCount == 0)
            #expect(newPlayerCount == 1)
        }
    }

    @Test func anAsynchronousAccessRunsItsOperationsInSequence() async throws {
        let dbQueue = try sample.makeQueue()
        let players = try await dbQueue.write { db in
            try SamplePlayer(name: "Arthur").insert(db)
            try SamplePlayer(name: "Barbara").insert(db)
            return try SamplePlayer.fetchAll(db)
        }
        #expect(players.map(\.name) == ["Arthur", "Barbara"])
    }

    @Test func transactionsNestInAnAccessWithoutATransaction() throws {
        let dbQueue = try sample.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            #expect(!db.isInsideTransaction)
            try db.inTransaction {
                #expect(db.isInsideTransaction)
                return .commit
            }
        }
    }

    @Test func theResultOfAReadMayBeOutdatedWhenItReturns() throws {
        let dbPool = try sample.makePool()
        let count = try dbPool.read { db in try SamplePlayer.fetchCount(db) }
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        #expect(count == 0)
        try #expect(dbPool.read { db in try SamplePlayer.fetchCount(db) } == 1)
    }

    @Test func aConcurrentReadObservesTheLastCommitWhileTheWriterContinues() throws {
        let dbPool = try sample.makePool()
        let newPlayerCount = Outcome<Int>()
        let mayRead = Gate()
        try dbPool.writeWithoutTransaction { db in
            try db.inTransaction {
                try SamplePlayer(name: "Arthur").insert(db)
                return .commit
            }
            dbPool.asyncConcurrentRead { dbResult in
                newPlayerCount.set {
                    try mayRead.wait()
                    let db = try dbResult.get()
                    return try SamplePlayer.fetchCount(db)
                }
            }
            try SamplePlayer(name: "Barbara").insert(db)
            mayRead.open()
        }
        try #expect(newPlayerCount.get() == 1)
    }
}
