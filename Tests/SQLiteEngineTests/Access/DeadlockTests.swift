import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests concurrent `read { write }` and `write { read }` on one pool.
@Suite(.timeLimit(.minutes(1)))
struct DeadlockTests {
    private let folder = TemporaryFolder()

    private func makePool(readers: Int) throws -> DatabasePool {
        try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.label = "P"
                $0.maximumReaderCount = readers
            }
        )
    }

    /// Returns a closure that blocks until `count` threads have called it.
    private func makeRendezvous(_ count: Int) -> @Sendable () throws -> Void {
        let isInside = Lock(0)
        return {
            isInside.withLock { $0 += 1 }
            try eventually { isInside.withLock { $0 } == count }
        }
    }

    /// Checks that no slot is held and no waiter remains after all accesses have ended.
    private func checkIdle(_ pool: DatabasePool) throws {
        for gate in [pool.readers, pool.writer] {
            #expect(gate.queue.withLock { $0.waiters.isEmpty })
            try eventually { gate.slots.allSatisfy { !$0.isTaken } }
            try eventually { gate.conditions.load(ordering: .relaxed) == 0 }
        }
        try pool.barrierWriteWithoutTransaction { _ in }
    }

    @Test(arguments: [1, 2, 5])
    func bothNestingsOnAllReadersEndWithOneErrorThatReportsBothSides(readers: Int) throws {
        let pool = try makePool(readers: readers)
        for _ in 0..<10 {
            let rowCountBefore = try pool.rowCount() ?? -1
            let values = Lock(rowCountBefore * 100)
            let rendezvous = makeRendezvous(readers + 1)
            @Sendable func insert(_ db: Database) throws {
                try db.insert(
                    values.withLock { value in
                        value += 1
                        return value
                    }
                )
            }
            let reads = (0..<readers).map { _ in
                Background {
                    try pool.read(as: AccessLabel("outer read")) { _ in
                        try rendezvous()
                        try pool.write(as: AccessLabel("inner write"), insert)
                    }
                }
            }
            let write = Background {
                try pool.write(as: AccessLabel("outer write")) { db in
                    try insert(db)
                    try rendezvous()
                    _ = try pool.read(as: AccessLabel("inner read")) { db in try db.rowCount() }
                }
            }
            let errors = (reads + [write]).compactMap { thread in
                databaseError { _ = try thread.value() }
            }
            #expect(errors.count == 1)
            let error = try #require(errors.first)
            #expect(error.extendedResultCode == .SQLITE_LOCKED)
            #expect(!error.isInterruptionError)
            let message = try #require(error.message)
            for part in ["outer read", "inner write", "outer write", "inner read"] {
                #expect(message.contains("(\(part))"))
            }
            for label in pool.readers.slots.map(\.label) + ["P.writer"] {
                #expect(message.contains("holds \(label) "))
            }
            #expect(message.contains("waits for P.writer"))
            #expect(message.contains("waits for P.reader.1"))
            // The access that encloses the failed access has also thrown, so one row is missing.
            try #expect(pool.rowCount() == rowCountBefore + readers)
        }
        try checkIdle(pool)
    }

    /// Each thread chooses one of the two nestings at random, without synchronization.
    @Test(arguments: [1, 2, 5])
    func randomNestingNeitherHangsNorLosesWrites(readers: Int) throws {
        let pool = try makePool(readers: readers)
        let committed = Lock(0)
        let refused = Lock<[DatabaseError]>([])
        let next = Lock(0)
        @Sendable func insert(_ db: Database) throws {
            try db.insert(
                next.withLock { next in
                    next += 1
                    return next
                }
            )
        }
        let threads = (0..<(readers + 3)).map { number in
            Background {
                var random = SeededRandom(seed: UInt64(100 * readers + number))
                for _ in 0..<80 {
                    let error = databaseError {
                        if Bool.random(using: &random) {
                            try pool.read { db in
                                _ = try db.rowCount()
                                try pool.write { db in try insert(db) }
                            }
                        } else {
                            try pool.write { db in
                                try insert(db)
                                _ = try pool.rowCount()
                            }
                        }
                    }
                    if let error {
                        refused.withLock { $0.append(error) }
                    } else {
                        committed.withLock { $0 += 1 }
                    }
                }
            }
        }
        for thread in threads { try thread.value() }
        try #expect(pool.rowCount() == committed.withLock { $0 })
        #expect(committed.withLock { $0 } > 0)
        for error in refused.withLock({ $0 }) {
            #expect(error.extendedResultCode == .SQLITE_LOCKED)
            #expect(error.message?.contains("holds P.writer") == true)
            #expect(error.message?.contains("holds P.reader.") == true)
        }
        try checkIdle(pool)
    }

    @Test(arguments: [false, true])
    func oneKindOfNestingNeverThrows(isWriteOutside: Bool) throws {
        let pool = try makePool(readers: 2)
        let threads = (0..<6).map { number in
            Background {
                for round in 0..<60 {
                    let value = 100 * number + round
                    if isWriteOutside {
                        try pool.write { db in
                            try db.insert(value)
                            _ = try pool.rowCount()
                        }
                    } else {
                        try pool.read { _ in try pool.write { db in try db.insert(value) } }
                    }
                }
            }
        }
        for thread in threads { try thread.value() }
        try #expect(pool.rowCount() == 360)
        try checkIdle(pool)
    }

    @Test func aReadInsideAWriteWaitsForLongReads() throws {
        let pool = try makePool(readers: 2)
        let mayEnd = Gate()
        let rendezvous = makeRendezvous(3)
        let reads = (0..<2).map { _ in
            Background {
                try pool.read { _ in
                    try rendezvous()
                    try mayEnd.wait()
                }
            }
        }
        let write = Background {
            try pool.write { db in
                try db.insert(1)
                try rendezvous()
                return try pool.rowCount()
            }
        }
        try eventually { pool.status().waitingReaders.count == 1 }
        mayEnd.open()
        try #expect(write.value() == 0)
        mayEnd.open()
        for read in reads { try read.value() }
        try checkIdle(pool)
    }

    @Test func deadlocksOfAwaitedAndCallbackAccessesAreDetected() async throws {
        let pool = try makePool(readers: 1)
        let rendezvous = makeRendezvous(2)
        let readError = Lock<DatabaseError?>(nil)
        let hasRead = Gate()
        pool.asyncRead { _ in
            let error = databaseError {
                try rendezvous()
                try pool.write { db in try db.insert(1) }
            }
            readError.withLock { $0 = error }
            hasRead.open()
        }
        let write = Task {
            try await pool.write { db in
                try db.insert(2)
                try rendezvous()
                _ = try pool.rowCount()
            }
        }
        var errors: [DatabaseError] = []
        do {
            try await write.value
        } catch {
            try errors.append(#require(error as? DatabaseError))
        }
        try await runOnNewThread { try hasRead.wait() }
        if let error = readError.withLock({ $0 }) { errors.append(error) }
        #expect(errors.map(\.resultCode) == [.SQLITE_LOCKED])
        try #expect(pool.rowCount() == 1)
        try checkIdle(pool)
    }

    @Test func aWriteThatCatchesTheErrorCommits() throws {
        let pool = try makePool(readers: 1)
        let isReading = Gate()
        let isWriting = Gate()
        let waiting = AccessLabel("waits in a read")
        let read = Background {
            try pool.read { _ in
                isReading.open()
                try isWriting.wait()
                try pool.write(as: waiting) { db in try db.insert(1) }
            }
        }
        try pool.write { db in
            try isReading.wait()
            isWriting.open()
            try db.insert(2)
            try awaitNestedWait(waiting)
            #expect(databaseError { _ = try pool.rowCount() }?.resultCode == .SQLITE_LOCKED)
            // The access is refused each time.
            #expect(databaseError { _ = try pool.rowCount() }?.resultCode == .SQLITE_LOCKED)
        }
        try read.value()
        try #expect(pool.rowCount() == 2)
        try checkIdle(pool)
    }

    @Test func aWriteThatThrowsTheErrorRollsBack() throws {
        let pool = try makePool(readers: 1)
        let isReading = Gate()
        let isWriting = Gate()
        let waiting = AccessLabel("waits in a read")
        let read = Background {
            try pool.read { _ in
                isReading.open()
                try isWriting.wait()
                try pool.write(as: waiting) { db in try db.insert(1) }
            }
        }
        let error = databaseError {
            try pool.write { db in
                try isReading.wait()
                isWriting.open()
                try db.insert(2)
                try awaitNestedWait(waiting)
                _ = try pool.rowCount()
            }
        }
        #expect(error?.resultCode == .SQLITE_LOCKED)
        try read.value()
        let rows = try pool.read { db in try Int.fetchAll(db, sql: "SELECT v FROM t") }
        #expect(rows == [1])
        try checkIdle(pool)
    }
}
