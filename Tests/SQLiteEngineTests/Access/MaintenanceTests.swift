import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests backups, erasing, vacuuming, checkpoints, and the release of memory.
@Suite(.timeLimit(.minutes(1)))
struct MaintenanceTests {
    private let folder = TemporaryFolder()

    private func fill(_ writer: some DatabaseWriter, rows: Int = 2_000) throws {
        try writer.write { db in
            for number in 0..<rows { try db.insert(number) }
        }
    }

    @Test func aBackupCopiesEverythingAndReportsItsProgress() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try fill(pool)
        let copy = try DatabaseQueue()
        var steps: [DatabaseBackupProgress] = []
        try pool.backup(to: copy, pagesPerStep: 2) { steps.append($0) }
        try #expect(copy.rowCount() == 2_000)
        #expect(steps.count > 5)
        #expect(steps.dropLast().filter(\.isCompleted).isEmpty)
        #expect(steps.last?.isCompleted == true)
        #expect(steps.last?.completedPageCount == steps.last?.totalPageCount)
        #expect(steps.first?.completedPageCount == 2)
        var calls = 0
        try pool.backup(to: copy) { _ in calls += 1 }
        #expect(calls == 1)
    }

    @Test func aBackupThatThrowsDoesNotChangeTheDestination() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try fill(pool)
        let copy = try DatabaseQueue.withTable()
        try copy.write { db in try db.insert(1) }
        #expect(throws: ThrownError.self) {
            try pool.backup(to: copy, pagesPerStep: 1) { _ in throw ThrownError() }
        }
        try #expect(copy.rowCount() == 1)
        // After its last step, a backup can no longer be abandoned.
        try pool.backup(to: copy) { _ in throw ThrownError() }
        try #expect(copy.rowCount() == 2_000)
    }

    @Test func statementsOfTheDestinationObserveABackup() throws {
        let copy = try DatabaseQueue.withTable()
        try #expect(copy.read { try Row.fetchOne($0, sql: "SELECT * FROM t") } == nil)
        let source = try DatabaseQueue()
        try source.write { db in
            try db.execute(sql: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)")
        }
        try source.backup(to: copy)
        let row = try copy.read { try Row.fetchOne($0, sql: "SELECT * FROM t") }
        #expect(row?.columnNames.map { $0 } == ["a", "b"])
    }

    @Test func erasingRemovesEverything() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        try fill(pool)
        _ = try await pool.read { db in try db.rowCount() }
        try eraseSynchronously(pool)
        #expect(
            try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
                == 0
        )
        try await pool.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        try await pool.erase()
        #expect(throws: DatabaseError.self) { try pool.rowCount() }
    }

    private func eraseSynchronously(_ writer: some DatabaseWriter) throws { try writer.erase() }

    @Test func aVacuumFreesPages() async throws {
        let queue = try DatabaseQueue(path: folder.file())
        try await queue.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        try fill(queue)
        try await queue.write { db in try db.execute(sql: "DELETE FROM t") }
        let pageCount = { try queue.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 } }
        let pageCountBefore = try pageCount()
        try await queue.vacuum()
        try #expect(pageCount() < pageCountBefore)
        try await queue.writeWithoutTransaction { db in try db.insert(7) }
        let copy = folder.file("it's a copy.sqlite")
        try await queue.vacuum(into: copy)
        try #expect(DatabaseQueue(path: copy).rowCount() == 1)
        await #expect(throws: DatabaseError.self) { try await queue.vacuum(into: copy) }
    }

    @Test func aCheckpointReportsItsFrames() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try fill(pool)
        let counts = try pool.writeWithoutTransaction { db in try db.checkpoint() }
        #expect(counts.walFrameCount > 0)
        #expect(counts.checkpointedFrameCount == counts.walFrameCount)
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        #expect(pool.status().wal?.bytes == 0)
        let queue = try DatabaseQueue()
        let countsWithoutLog = try queue.inDatabase { db in try db.checkpoint() }
        #expect(countsWithoutLog.walFrameCount == -1)
        let error = #expect(throws: DatabaseError.self) {
            try queue.inDatabase { db in try db.checkpoint(on: "nowhere") }
        }
        #expect(error?.message?.contains("nowhere") == true)
    }

    // MARK: Memory

    private func makeCountingPool(isPersistent: Bool = false) throws -> (DatabasePool, Lock<Int>) {
        let openCount = Lock(0)
        var configuration = Configuration()
        configuration.persistentReadOnlyConnections = isPersistent
        configuration.onConnectionDidOpen { openCount.withLock { $0 += 1 } }
        configuration.onConnectionDidClose { openCount.withLock { $0 -= 1 } }
        return (try DatabasePool.withTable(in: folder, configuration: configuration), openCount)
    }

    @Test func releasingMemoryClosesTheReaders() throws {
        let (pool, openCount) = try makeCountingPool()
        _ = try pool.rowCount()
        #expect(openCount.withLock { $0 } == 2)
        pool.releaseMemory()
        #expect(openCount.withLock { $0 } == 1)
        #expect(pool.status().readers?.open == 0)
        try #expect(pool.rowCount() == 0)
        #expect(openCount.withLock { $0 } == 2)
    }

    @Test func persistentReadersStayOpen() throws {
        let (pool, openCount) = try makeCountingPool(isPersistent: true)
        _ = try pool.rowCount()
        pool.releaseMemory()
        pool.releaseMemoryEventually()
        try eventually { pool.status().readers?.inUse == 0 }
        #expect(openCount.withLock { $0 } == 2)
        try #expect(pool.rowCount() == 0)
    }

    @Test func readersInUseAreClosedAfterTheirAccess() throws {
        let (pool, openCount) = try makeCountingPool()
        try pool.read { db in
            pool.releaseMemoryEventually()
            pool.invalidateReadOnlyConnections()
            try #expect(db.rowCount() == 0)
            #expect(pool.status().waitingReaders.isEmpty)
            #expect(pool.status().waitingWriters.isEmpty)
        }
        try eventually { openCount.withLock { $0 } == 1 }
        try #expect(pool.rowCount() == 0)
    }

    @Test func aClosedPoolReleasesNoMemory() throws {
        let (pool, openCount) = try makeCountingPool()
        _ = try pool.rowCount()
        try pool.close()
        pool.releaseMemory()
        pool.releaseMemoryEventually()
        pool.invalidateReadOnlyConnections()
        #expect(openCount.withLock { $0 } == 0)
    }

    @Test func releasingTheLastReferenceClosesAllConnections() throws {
        let openCount: Lock<Int>
        do {
            let (pool, counter) = try makeCountingPool()
            openCount = counter
            _ = try pool.rowCount()
            #expect(openCount.withLock { $0 } == 2)
        }
        #expect(openCount.withLock { $0 } == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
    }
}
