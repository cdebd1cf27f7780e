import CSQLite
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that a queue in WAL mode keeps its transaction between reads without observable effects.
@Suite(.timeLimit(.minutes(1)))
struct QueueKeptTransactionTests {
    private let folder = TemporaryFolder()

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(
            path: folder.file(),
            configuration: .with { $0.journalMode = .wal }
        )
        // After a commit of another connection, keeping resumes as soon as possible.
        queue.gate.keeper.pause.store(0, ordering: .relaxed)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(v INTEGER); INSERT INTO t VALUES (0)")
        }
        return queue
    }

    private func value(_ queue: DatabaseQueue) throws -> Int? {
        try queue.read { db in try Int.fetchOne(db, sql: "SELECT v FROM t") }
    }

    private func isKept(_ queue: DatabaseQueue) -> Bool {
        // The claim fails while the timer uses the connection.
        guard let slot = queue.gate.slots.first, slot.claimIdle() else { return false }
        defer { queue.gate.release(slot) }
        return slot.database?.kept.pointee.isKept == true
    }

    private func readUntilKept(_ queue: DatabaseQueue) throws {
        try eventually {
            _ = try value(queue)
            return isKept(queue)
        }
    }

    @Test func aReadObservesCommitsOfAnotherConnection() throws {
        let queue = try makeQueue()
        let other = try DatabaseQueue(path: folder.file())
        for expected in 1...100 {
            try readUntilKept(queue)
            try other.write { db in try db.execute(sql: "UPDATE t SET v = \(expected)") }
            #expect(try value(queue) == expected)
        }
    }

    @Test func aWriteAfterAReadIsObservedByTheNextRead() throws {
        let queue = try makeQueue()
        for expected in 1...100 {
            try readUntilKept(queue)
            try queue.write { db in try db.execute(sql: "UPDATE t SET v = \(expected)") }
            #expect(try value(queue) == expected)
        }
    }

    private func isInsideTransaction(_ queue: DatabaseQueue) async -> Bool {
        await Task { queue.inDatabase { db in db.isInsideTransaction } }.value
    }

    @Test func accessesOtherThanReadsFindNoTransaction() async throws {
        let queue = try makeQueue()
        try readUntilKept(queue)
        #expect(await isInsideTransaction(queue) == false)
        try readUntilKept(queue)
        #expect(try await queue.unsafeRead { db in !db.isInsideTransaction })
        try readUntilKept(queue)
        #expect(try await queue.writeWithoutTransaction { db in !db.isInsideTransaction })
        try readUntilKept(queue)
        let isOutside = Promise<Bool>()
        queue.asyncWriteWithoutTransaction { db in isOutside.fulfill(!db.isInsideTransaction) }
        #expect(await isOutside.value())
        try readUntilKept(queue)
        let isOutsideInUnsafeRead = Promise<Bool>()
        queue.asyncUnsafeRead { db in
            isOutsideInUnsafeRead.fulfill((try? db.get().isInsideTransaction) == false)
        }
        #expect(await isOutsideInUnsafeRead.value())
        try readUntilKept(queue)
        let isOutsideInBarrier = Promise<Bool>()
        queue.asyncBarrierWriteWithoutTransaction { db in
            isOutsideInBarrier.fulfill((try? db.get().isInsideTransaction) == false)
        }
        #expect(await isOutsideInBarrier.value())
    }

    @Test func asynchronousReadsObserveTheLastCommit() async throws {
        let queue = try makeQueue()
        let other = try DatabaseQueue(path: folder.file())
        for expected in 1...50 {
            try readUntilKept(queue)
            try await other.write { db in try db.execute(sql: "UPDATE t SET v = \(expected)") }
            let awaitedValue = try await queue.read { db in
                try Int.fetchOne(db, sql: "SELECT v FROM t")
            }
            #expect(awaitedValue == expected)
            try readUntilKept(queue)
            try await other.write { db in try db.execute(sql: "UPDATE t SET v = -1") }
            let callbackValue = Promise<Int?>()
            queue.asyncRead { db in
                callbackValue.fulfill(try? Int.fetchOne(db.get(), sql: "SELECT v FROM t"))
            }
            #expect(await callbackValue.value() == -1)
        }
    }

    @Test func observersAreNotNotifiedOfKeptTransactions() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try withExtendedLifetime(observer) {
            try readUntilKept(queue)
            queue.inDatabase { _ in }
            try readUntilKept(queue)
            try eventually { !isKept(queue) }
        }
        #expect(observer.log == [])
    }

    @Test func theTimerHandlesAConnectionThatIsAlwaysBusy() throws {
        let queue = try makeQueue()
        for _ in 0..<100 {
            try readUntilKept(queue)
            // The condition repeatedly acquires and releases the connection.
            try eventually { !isKept(queue) && !queue.gate.slots[0].isTaken }
        }
    }

    @Test func theTimerEndsTransactionsThatNoAccessEnds() throws {
        let queue = try makeQueue()
        let other = try DatabaseQueue(path: folder.file())
        try readUntilKept(queue)
        try eventually {
            let isBusy = try other.inDatabase { db in
                try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            return isBusy == 0
        }
    }

    @Test func nothingIsKeptInRollbackJournalMode() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(v INTEGER); INSERT INTO t VALUES (0)")
        }
        for _ in 1...100 { _ = try value(queue) }
        #expect(!isKept(queue))
    }

    private func setMode(_ mode: String, of queue: DatabaseQueue) throws -> String? {
        try queue.inDatabase { db in
            try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
        }
    }

    @Test func theModeMayChangeWhileTheStatusIsRead() throws {
        let queue = try makeQueue()
        for _ in 1...5 {
            try readUntilKept(queue)
            #expect(try setMode("DELETE", of: queue) == "delete")
            // The wal-index is no longer mapped.
            _ = queue.status()
            for _ in 1...10 { _ = try value(queue) }
            #expect(!isKept(queue))
            #expect(try setMode("WAL", of: queue) == "wal")
            try queue.write { db in try db.execute(sql: "UPDATE t SET v = v + 1") }
            #expect(queue.status().wal?.frames ?? 0 > 0)
            try readUntilKept(queue)
        }
        #expect(try value(queue) == 5)
    }

    @Test func nothingIsKeptWithAttachedDatabases() throws {
        let attached = try DatabaseQueue(
            path: folder.file("other.sqlite"),
            configuration: .with { $0.journalMode = .wal }
        )
        try attached.write { db in
            try db.execute(sql: "CREATE TABLE o(v INTEGER); INSERT INTO o VALUES (0)")
        }
        let queue = try makeQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "ATTACH '\(folder.file("other.sqlite"))' AS other")
        }
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with { [folder] in
                $0.maximumReaderCount = 1
                $0.prepareDatabase { db in
                    try db.execute(sql: "ATTACH '\(folder.file("other.sqlite"))' AS other")
                }
            }
        )
        for expected in 1...50 {
            for _ in 1...3 {
                _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT v FROM other.o") }
                _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT v FROM other.o") }
            }
            try attached.write { db in try db.execute(sql: "UPDATE o SET v = \(expected)") }
            let inQueue = try queue.read { try Int.fetchOne($0, sql: "SELECT v FROM other.o") }
            let inPool = try pool.read { try Int.fetchOne($0, sql: "SELECT v FROM other.o") }
            #expect(inQueue == expected)
            #expect(inPool == expected)
        }
    }
}
