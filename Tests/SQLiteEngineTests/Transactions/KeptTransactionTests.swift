import CSQLite
import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that a reader keeps its transaction between accesses without observable effects.
struct KeptTransactionTests {
    private let folder = TemporaryFolder()

    private func makePool(
        readers: Int = 1,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configure(&configuration)
        configuration.maximumReaderCount = readers
        // A reader that finds a partially written wal-index header briefly acquires the write lock
        // (`walIndexReadHdr` in SQLite's wal.c). This can make `BEGIN IMMEDIATE` fail.
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        // After a commit of another connection, keeping resumes as soon as possible.
        pool.readers.keeper.pause.store(0, ordering: .relaxed)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t(v INTEGER); INSERT INTO t VALUES (0)")
        }
        return pool
    }

    private func value(_ pool: DatabasePool) throws -> Int? {
        try pool.read { db in try Int.fetchOne(db, sql: "SELECT v FROM t") }
    }

    private func isKept(_ pool: DatabasePool) -> Bool {
        // The claim fails while the timer uses the connection.
        pool.readers.slots.contains { slot in
            guard slot.claimIdle() else { return false }
            defer { pool.readers.release(slot) }
            return slot.database?.kept.pointee.isKept == true
        }
    }

    /// Reads until a reader keeps its transaction.
    private func readUntilKept(_ pool: DatabasePool) throws {
        try eventually {
            _ = try value(pool)
            return isKept(pool)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func aReadObservesCommitsOfAnotherProcess() throws {
        let pool = try makePool()
        var other: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &other) == SQLITE_OK)
        defer { sqlite3_close(other) }
        for expected in 1...100 {
            try readUntilKept(pool)
            #expect(sqlite3_exec(other, "UPDATE t SET v = \(expected)", nil, nil, nil) == SQLITE_OK)
            #expect(try value(pool) == expected)
        }
    }

    /// If the transaction that replaces an outdated one cannot start, the next statement starts it.
    @Test(.timeLimit(.minutes(1)))
    func aReadIsIsolatedAfterATransactionFailsToStart() throws {
        let handlers = Lock<[FailingBegin]>([])
        let pool = try makePool {
            $0.prepareDatabase { db in
                let handler = FailingBegin(db.sqliteConnection)
                handlers.withLock { $0.append(handler) }
            }
        }
        var other: OpaquePointer?
        #expect(sqlite3_open(folder.file(), &other) == SQLITE_OK)
        defer { sqlite3_close(other) }
        var commits = 0
        func commit() {
            commits += 1
            let sql = "UPDATE t SET v = \(commits)"
            #expect(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
        }
        // The timer may end the kept transaction before the access continues it.
        try eventually {
            try readUntilKept(pool)
            commit()
            return try pool.read { db in
                guard db.kept.pointee.isUnconfirmed else { return false }
                let value: () throws -> Int? = { try Int.fetchOne(db, sql: "SELECT v FROM t") }
                let handlers = handlers.withLock { $0 }
                for handler in handlers { handler.isOn.store(true, ordering: .relaxed) }
                #expect(throws: DatabaseError.self) { _ = try value() }
                for handler in handlers { handler.isOn.store(false, ordering: .relaxed) }
                let expected = commits
                let first = try value()
                commit()
                let second = try value()
                #expect([first, second] == [expected, expected])
                return true
            }
        }
        #expect(try value(pool) == commits)
    }

    @Test(.timeLimit(.minutes(1)))
    func aWriterWaitsForAThreadThatEndsAKeptTransaction() throws {
        let pool = try makePool()
        let (gate, slot) = (pool.readers, pool.readers.slots[0])
        let order = Lock<[String]>([])
        gate.keeper.longestEnding.store(.max, ordering: .relaxed)
        try eventually {
            try readUntilKept(pool)
            // The timer claims the slot in the same way. Its thread is then preempted.
            return slot.claimKeeping()
        }
        let write = Background {
            pool.writeWithoutTransaction { _ in order.withLock { $0.append("write") } }
        }
        try eventually { !gate.allowsKeeping }
        for _ in 0..<100 { sched_yield() }
        order.withLock { $0.append("end") }
        slot.database?.endKeptTransaction()
        gate.release(slot)
        try write.value()
        #expect(order.withLock { $0 } == ["end", "write"])
    }

    @Test func aConnectionWhoseTransactionIsBeingEndedIsAwaited() throws {
        let pool = try makePool()
        let (gate, slot) = (pool.readers, pool.readers.slots[0])
        try readUntilKept(pool)
        try eventually { !slot.keepsIdleTransaction && !slot.isEnding }
        #expect(gate.claimAfterEnding() == nil)
        try eventually {
            try readUntilKept(pool)
            return slot.claimKeeping()
        }
        // The wait is bounded.
        let claimedTooEarly = gate.claimAfterEnding()
        slot.database?.endKeptTransaction()
        gate.release(slot)
        #expect(claimedTooEarly == nil)
        try eventually {
            try readUntilKept(pool)
            guard slot.claimKeeping() else { return false }
            let ending = Background {
                slot.database?.endKeptTransaction()
                gate.release(slot)
            }
            let claimed = gate.claimAfterEnding()
            if let claimed { gate.release(claimed) }
            try ending.value()
            return claimed === slot
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func aReadObservesCommitsOfItsPool() throws {
        let pool = try makePool()
        for expected in 1...100 {
            try readUntilKept(pool)
            try pool.write { db in try db.execute(sql: "UPDATE t SET v = \(expected)") }
            #expect(try value(pool) == expected)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func noTransactionIsKeptWhileTheWriterIsHeld() throws {
        let pool = try makePool(readers: 2)
        try readUntilKept(pool)
        try pool.writeWithoutTransaction { db in
            #expect(!isKept(pool))
            for _ in 1...50 { _ = try value(pool) }
            #expect(!isKept(pool))
        }
        try readUntilKept(pool)
    }

    @Test(.timeLimit(.minutes(1)))
    func theWriterTruncatesTheLogDespiteKeptTransactions() throws {
        let pool = try makePool(readers: 4)
        for _ in 1...20 {
            try pool.write { db in try db.execute(sql: "UPDATE t SET v = v + 1") }
            try readUntilKept(pool)
            let isBusy = try pool.writeWithoutTransaction { db in
                try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            #expect(isBusy == 0)
            #expect(pool.status().wal?.bytes == 0)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func theTimerEndsTransactionsThatNoAccessEnds() throws {
        let pool = try makePool()
        let other = try DatabaseQueue(path: folder.file())
        try readUntilKept(pool)
        // The test does not use `isKept`, because `isKept` acquires the connection and the timer
        // would then skip it.
        try eventually {
            let isBusy = try other.inDatabase { db in
                try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            return isBusy == 0
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func anInterruptBetweenTwoReadsHasNoEffect() throws {
        let pool = try makePool()
        // An abandoned cursor would leave the interrupt flag set.
        try eventually {
            try pool.read { db in
                let cursor = try Int.fetchCursor(
                    db.cachedStatement(sql: "SELECT 1 UNION ALL SELECT rootpage FROM sqlite_master")
                )
                #expect(try cursor.next() == 1)
            }
            return isKept(pool)
        }
        pool.interrupt()
        #expect(try value(pool) == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func anUnsafeReadIsOutsideTheKeptTransaction() throws {
        let pool = try makePool()
        try readUntilKept(pool)
        try pool.unsafeRead { db in #expect(!db.isInsideTransaction) }
    }

    @Test(.timeLimit(.minutes(1)))
    func closingEndsKeptTransactions() throws {
        let pool = try makePool()
        try readUntilKept(pool)
        try pool.close()
        #expect(throws: DatabaseError.self) { try value(pool) }
    }

    @Test
    func theConfigurationDisablesKeeping() throws {
        var configuration = Configuration()
        configuration.keepsReadTransactions = false
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        for _ in 1...100 { _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") } }
        #expect(!isKept(pool))
    }

    @Test(.timeLimit(.minutes(1)))
    func noReadMissesAnAcknowledgedCommit() throws {
        let pool = try makePool(readers: 3)
        let acknowledged = Atomic<Int>(0)
        let hasEnded = Atomic<Bool>(false)
        try withExtendedLifetime(pool) {
            let readers = (0..<4).map { _ in
                Background {
                    var stale = 0
                    while !hasEnded.load(ordering: .acquiring) {
                        let acknowledgedBefore = acknowledged.load(ordering: .acquiring)
                        let observedValue = try pool.read { db in
                            let first = try Int.fetchOne(db, sql: "SELECT v FROM t") ?? -1
                            let second = try Int.fetchOne(db, sql: "SELECT v FROM t") ?? -1
                            return first == second ? first : -1
                        }
                        if observedValue < acknowledgedBefore { stale += 1 }
                    }
                    return stale
                }
            }
            for value in 1...2_000 {
                try pool.write { db in try db.execute(sql: "UPDATE t SET v = \(value)") }
                acknowledged.store(value, ordering: .releasing)
            }
            hasEnded.store(true, ordering: .releasing)
            for reader in readers { #expect(try reader.value() == 0) }
        }
    }
}

/// A progress handler that interrupts statements outside a transaction, such as `BEGIN`.
///
/// `@unchecked Sendable`: `connection` never changes, and the flag is atomic.
private final class FailingBegin: @unchecked Sendable {
    let isOn = Atomic<Bool>(false)
    private let connection: OpaquePointer?

    init(_ connection: OpaquePointer?) {
        self.connection = connection
        let handler = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection,
            1,
            { pointer in
                guard let pointer else { return 0 }
                let handler = Unmanaged<FailingBegin>.fromOpaque(pointer).takeUnretainedValue()
                let isOn = handler.isOn.load(ordering: .relaxed)
                return isOn && sqlite3_get_autocommit(handler.connection) != 0 ? 1 : 0
            },
            handler
        )
    }
}
