import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests snapshots with several connections.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseSnapshotPoolTests {
    private let folder = TemporaryFolder()

    private func makePool(keepsReadTransactions: Bool = true) throws -> DatabasePool {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.keepsReadTransactions = keepsReadTransactions }
        )
        try pool.write { db in try db.insert(1) }
        return pool
    }

    @Test func readersKeepOneState() throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        try pool.write { db in try db.insert(2) }
        let isInside = Gate()
        let mayEnd = Gate()
        let reads = (0..<5).map { _ in
            Background {
                try snapshot.read { db in
                    isInside.open()
                    try mayEnd.wait()
                    return try db.rowCount()
                }
            }
        }
        for _ in reads { try isInside.wait() }
        try pool.write { db in try db.insert(3) }
        for _ in reads { mayEnd.open() }
        for read in reads { try #expect(read.value() == 1) }
        try #expect(pool.rowCount() == 3)
    }

    @Test(arguments: [Database.CheckpointMode.passive, .full, .restart, .truncate])
    func aSnapshotPoolKeepsItsStateAcrossCheckpoints(mode: Database.CheckpointMode) throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        for number in 2...5 {
            try pool.write { db in try db.insert(number) }
            _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(mode) }
            try #expect(snapshot.read { db in try db.rowCount() } == 1)
        }
    }

    @Test func readersOpenedDuringWritesHaveTheSameState() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let hasEnded = Lock(false)
        let writes = Background {
            var number = 0
            while !hasEnded.withLock({ $0 }) {
                number += 1
                try pool.write { db in try db.insert(number) }
            }
        }
        for _ in 0..<20 {
            let snapshot = try pool.makeSnapshotPool()
            let counts = try snapshot.gate.slots.map { slot in
                // An access sets the thread in the same way.
                slot.thread = ThreadState.current
                return try slot.openDatabase.rowCount()
            }
            #expect(Set(counts).count == 1)
            #expect(counts.count == 5)
        }
        hasEnded.withLock { $0 = true }
        try writes.value()
    }

    @Test(arguments: [true, false])
    func aSnapshotPoolCanBeCreatedInEachKindOfAccess(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let snapshots = [
            try pool.read { db in try DatabaseSnapshotPool(db) },
            try pool.read { _ in try pool.makeSnapshotPool() },
            try pool.unsafeRead { db in try DatabaseSnapshotPool(db) },
            try pool.writeWithoutTransaction { db in try DatabaseSnapshotPool(db) },
            try pool.writeWithoutTransaction { _ in
                try pool.read { _ in try pool.makeSnapshotPool() }
            },
            try pool.read { db in
                _ = try db.rowCount()
                return try pool.makeSnapshotPool()
            },
            try pool.unsafeRead { db in
                try db.beginTransaction()
                defer { try? db.commit() }
                _ = try db.rowCount()
                return try DatabaseSnapshotPool(db)
            },
            try DatabaseSnapshotPool(path: folder.file()),
        ]
        try pool.write { db in try db.insert(2) }
        for snapshot in snapshots {
            try #expect(snapshot.read { db in try db.rowCount() } == 1)
        }
    }

    @Test(arguments: [true, false])
    func aSnapshotPoolOfAnEarlierStateThrows(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        for number in 2...3 {
            try pool.read { db in
                _ = try db.rowCount()
                try pool.write { db in try db.insert(number) }
                let error = #expect(throws: DatabaseError.self) { try pool.makeSnapshotPool() }
                #expect(error?.resultCode == .SQLITE_ERROR)
                #expect(error?.message?.contains("earlier read") == true)
            }
        }
        try pool.unsafeRead { db in
            try db.beginTransaction()
            _ = try db.rowCount()
            try pool.write { db in try db.insert(4) }
            #expect(throws: DatabaseError.self) { try DatabaseSnapshotPool(db) }
            try db.commit()
        }
    }

    @Test(arguments: [true, false])
    func aSnapshotPoolOfAReadInsideAWriteThrowsImmediately(usesQueue: Bool) throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                guard usesQueue else { return }
                $0.targetQueue = DispatchQueue(label: "reads")
                $0.writeTargetQueue = DispatchQueue(label: "writes")
            }
        )
        let attempts: [(Database) throws -> DatabaseSnapshotPool] = [
            { _ in try pool.makeSnapshotPool() },
            { db in try DatabaseSnapshotPool(db) },
            { _ in try DatabaseSnapshotPool(path: "\(folder.path)/./db.sqlite") },
        ]
        for attempt in attempts {
            let start = monotonicNanoseconds()
            let error = #expect(throws: DatabaseError.self) {
                try pool.write { _ in try pool.read { db in try attempt(db) } }
            }
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.message?.contains("DatabasePool.writer holds the write lock") == true)
            // Waiting for the lock would take ten seconds.
            #expect(monotonicNanoseconds() - start < 5_000_000_000)
        }
        #expect(try pool.makeSnapshotPool().read { db in try db.rowCount() } == 0)
    }

    @Test func aSnapshotPoolOfATransactionThatWritesThrows() throws {
        let pool = try makePool()
        let error = #expect(throws: DatabaseError.self) {
            try pool.write { db in
                try db.insert(2)
                _ = try DatabaseSnapshotPool(db)
            }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
        try #expect(pool.rowCount() == 1)
    }

    @Test func aSnapshotPoolOfAReadOnlyPoolThrows() throws {
        let writingPool = try makePool()
        let pool = try DatabasePool(
            path: writingPool.path,
            configuration: .with { $0.readonly = true }
        )
        let error = #expect(throws: DatabaseError.self) { try pool.makeSnapshotPool() }
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(error?.message?.contains("read-only") == true)
    }

    @Test func aSnapshotPoolOfADatabaseWithoutWALThrows() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v)") }
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseSnapshotPool(path: folder.file())
        }
        #expect(error?.message?.contains("`delete` mode") == true)
    }

    @Test func aConnectionThatLeavesTheStateIsNotUsedAgain() throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        try pool.write { db in try db.insert(2) }
        try snapshot.read { db in
            try db.commit()
            try #expect(db.rowCount() == 2)
        }
        try snapshot.read { db in
            try db.commit()
            try db.beginTransaction()
            try #expect(db.rowCount() == 2)
        }
        for _ in 0..<10 { try #expect(snapshot.read { db in try db.rowCount() } == 1) }
        #expect(snapshot.status().connections.count == 3)
    }

    @Test func aLostSnapshotIsReported() async throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        for _ in 0..<5 { try await snapshot.read { db in try db.commit() } }
        let error = #expect(throws: DatabaseError.self) {
            try snapshot.unsafeReentrantRead { _ in }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(error?.message?.contains("lost") == true)
        await #expect(throws: DatabaseError.self) { try await snapshot.read { _ in } }
        try snapshot.close()
    }

    @Test func aSnapshotPoolIsReportedUntilItIsClosed() throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        #expect(pool.status().snapshots.count == 1)
        #expect(snapshot.status().snapshots.count == 1)
        try snapshot.close()
        try snapshot.close()
        #expect(pool.status().snapshots.isEmpty)
        let error = #expect(throws: DatabaseError.self) { try snapshot.read { _ in } }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        #expect(pool.status().wal?.bytes == 0)
    }

    @Test func tasksCanReadASnapshotPool() async throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshotPool()
        try await pool.write { db in try db.insert(2) }
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<50 {
                group.addTask { try await snapshot.read { db in try db.rowCount() } }
            }
            for try await count in group { #expect(count == 1) }
        }
        let done = Gate()
        snapshot.asyncRead { result in
            #expect((try? result.get().rowCount()) == 1)
            done.open()
        }
        try done.wait()
    }
}
