import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that the timer wakes the program only while there is a kept transaction to end.
@Suite(.timeLimit(.minutes(1)))
struct KeptTransactionTimerTests {
    private let folder = TemporaryFolder()

    private func makePool() throws -> DatabasePool {
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t(v INTEGER); INSERT INTO t VALUES (0)")
        }
        return pool
    }

    /// Reads until the only reader keeps its transaction, which sets the timer.
    private func keepTransaction(of pool: DatabasePool) throws {
        try eventually {
            for _ in 0..<200 {
                _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT v FROM t") }
            }
            return pool.readers.slots[0].keepsIdleTransaction
        }
    }

    @Test func aLongReadCausesNoWakeUps() throws {
        let pool = try makePool()
        let keeper = pool.readers.keeper
        try keepTransaction(of: pool)
        try pool.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT v FROM t")
            // The timer that earlier reads set expires, and it is not set again.
            try eventually { !keeper.isTimerSet }
            let expirationsBefore = keeper.expirations.load(ordering: .relaxed)
            for _ in 0..<100 { _ = try Int.fetchOne(db, sql: "SELECT v FROM t") }
            #expect(!keeper.isTimerSet)
            #expect(keeper.expirations.load(ordering: .relaxed) == expirationsBefore)
        }
    }

    @Test func anIdlePoolIsNotWokenAgain() throws {
        let pool = try makePool()
        let keeper = pool.readers.keeper
        try keepTransaction(of: pool)
        let expirationsBefore = keeper.expirations.load(ordering: .relaxed)
        try eventually { !pool.readers.slots[0].keepsIdleTransaction }
        try eventually { !keeper.isTimerSet }
        #expect(keeper.expirations.load(ordering: .relaxed) - expirationsBefore <= 2)
    }
}
