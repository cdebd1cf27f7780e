#if GRDB
import Foundation
import GRDB
import PoolgaugeGRDB
import Telemetry
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct WatchedDatabaseTests {
    private let test: TestDatabase

    init() throws { test = try TestDatabase() }

    private func reader(_ status: DatabaseStatus) throws -> ConnectionStatus {
        try #require(status.connections.first { $0.role == .reader })
    }

    @Test func accessesThroughTheGRDBPoolAreVisible() throws {
        let watched = try test.pool()
        let hold = try Hold { try watched.database.read($0) }
        let status = watched.status()
        #expect(status.kind == .pool)
        #expect(status.path == test.path)
        #expect(status.journalMode == "wal")
        #expect(status.wal?.bytes ?? 0 > 0)
        #expect(status.connections.map(\.label) == ["shop.writer", "shop.reader.1"])
        #expect(status.connections.map(\.role) == [.writer, .reader])
        let held = try reader(status)
        #expect(held.state == .closure)
        #expect(held.transaction == .read)
        #expect(held.sql == "SELECT count(*) FROM t")
        #expect(held.heldNanoseconds ?? 0 > 0)
        #expect(held.holder == nil)
        #expect(held.accessCount == 1)
        #expect(status.readers?.inUse == 1)
        #expect(status.readers?.open == 1)
        #expect(status.readers?.maximum == 2)
        // Waits are unknown without accesses through the watched database.
        #expect(status.hidesWaits)
        #expect(status.readers?.saturatedNanoseconds == nil)
        try hold.end()
        let idle = watched.status()
        #expect(try reader(idle).state == .idle)
        #expect(idle.readers?.inUse == 0)
        #expect(idle.readers?.peak == 1)
        #expect(idle.readers?.busyNanoseconds ?? 0 > 0)
        #expect(idle.hold?.count == 1)
        // The setup of the table is the only write.
        #expect(idle.writerHold?.count == 1)
        #expect(idle.commit?.count == 1)
        // GRDB also reads the version of the schema.
        #expect(idle.statement?.count == 4)
        #expect(idle.connections[0].accessCount == 1)
    }

    @Test func originsAndWaitsOfWatchedAccessesAreKnown() throws {
        let watched = try test.pool { $0.maximumReaderCount = 1 }
        let hold = try Hold { try watched.read(as: "report", $0) }
        let line = #line + 1
        let waiter = Background { try watched.read { _ in } }
        try eventually { watched.status().waitingReaders.count == 1 }
        let status = watched.status()
        #expect(try reader(status).holder?.name == "report")
        #expect(status.waitingReaders.map(\.origin.name) == ["WatchedDatabaseTests.swift:\(line)"])
        #expect(status.waitingReaders.first?.isAsync == false)
        #expect(!status.hidesWaits)
        try eventually { watched.status().readers?.saturatedNanoseconds ?? 0 > 0 }
        try hold.end()
        try waiter.end()
        let idle = watched.status()
        #expect(idle.waitingReaders.isEmpty)
        #expect(idle.acquire?.count == 2)
        #expect(idle.acquire?.max ?? 0 >= status.waitingReaders[0].waitedNanoseconds)
    }

    @Test func writesWaitForTheWriter() throws {
        let watched = try test.pool()
        let hold = try Hold { try watched.write(as: "import", $0) }
        let waiter = Background { watched.writeWithoutTransaction(as: "vacuum") { _ in } }
        try eventually { watched.status().waitingWriters.count == 1 }
        let status = watched.status()
        #expect(status.waitingWriters.map(\.origin.name) == ["vacuum"])
        #expect(status.connections[0].holder?.name == "import")
        #expect(status.connections[0].transaction == .write)
        try hold.end()
        try waiter.end()
        #expect(watched.status().writerAcquire?.count == 2)
    }

    @Test func tasksAreWatched() async throws {
        let watched = try test.pool { $0.maximumReaderCount = 1 }
        let hold = try Hold { try watched.read($0) }
        let waiter = Task {
            try await watched.read(as: "task") { try Int.fetchOne($0, sql: "SELECT 7") }
        }
        while watched.status().waitingReaders.isEmpty { await Task.yield() }
        #expect(watched.status().waitingReaders.map(\.isAsync) == [true])
        #expect(watched.status().waitingReaders.map(\.origin.name) == ["task"])
        try hold.end()
        #expect(try await waiter.value == 7)
        try await watched.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try await watched.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM t") }
        let status = watched.status()
        #expect(status.acquire?.count == 2)
        #expect(status.writerAcquire?.count == 2)
    }

    @Test func aCanceledWaitEnds() async throws {
        let watched = try test.pool { $0.maximumReaderCount = 1 }
        let hold = try Hold { try watched.read($0) }
        let waiter = Task { try await watched.read { _ in } }
        while watched.status().waitingReaders.isEmpty { await Task.yield() }
        waiter.cancel()
        try hold.end()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(watched.status().waitingReaders.isEmpty)
    }

    @Test func aLockOfAnotherConnectionIsCounted() async throws {
        let watched = try test.pool()
        let other = try test.otherConnection()
        var events = watched.events().makeAsyncIterator()
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        #expect(throws: DatabaseError.self) { try watched.database.write { _ in } }
        #expect(throws: DatabaseError.self) { try watched.write(as: "order") { _ in } }
        try await other.writeWithoutTransaction { try $0.rollback() }
        try await watched.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        let status = watched.status()
        #expect(status.busyCount == 2)
        #expect(status.connections[0].busyCount == 2)
        #expect(await events.next()?.kind == .busy(by: nil))
        #expect(await events.next()?.label == "shop.writer")
    }

    @Test func aWaitForALockIsMeasured() throws {
        let watched = try test.pool { $0.busyMode = .timeout(20) }
        let other = try test.otherConnection()
        try other.inDatabase { try $0.beginTransaction(.immediate) }
        let writer = Background { try watched.write { _ in } }
        try eventually { watched.status().connections[0].state == .waitingForLock }
        try other.inDatabase { try $0.rollback() }
        try writer.end()
        let status = watched.status()
        #expect(status.busyCount == 1)
        #expect(status.busyWaitNanoseconds ?? 0 > 0)
        #expect(status.connections[0].busyWaitNanoseconds == status.busyWaitNanoseconds)
        #expect(status.connections[0].state == .idle)
    }

    @Test func theCallbackControlsRetries() throws {
        let tries = Lock<[Int]>([])
        let watched = try test.pool {
            $0.busyMode = .callback { count in
                tries.withLock { $0.append(count) }
                return count < 2
            }
        }
        let other = try test.otherConnection()
        try other.inDatabase { try $0.beginTransaction(.immediate) }
        #expect(throws: DatabaseError.self) { try watched.write { _ in } }
        try other.inDatabase { try $0.rollback() }
        #expect(tries.withLock { $0 } == [0, 1, 2])
        #expect(watched.status().busyCount == 1)
    }

    @Test func aFailedUpgradeIsCounted() throws {
        let watched = try test.pool()
        let other = try test.otherConnection()
        let error = #expect(throws: DatabaseError.self) {
            try watched.writeWithoutTransaction { db in
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
                    try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    return .commit
                }
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_BUSY_SNAPSHOT)
        #expect(watched.status().busyCount == 1)
        // The number of upgrades is unknown, because a program may handle such an error in a
        // closure.
        #expect(watched.status().busyUpgradeCount == nil)
    }

    @Test func snapshotsAreListed() async throws {
        let watched = try test.pool()
        var events = watched.events().makeAsyncIterator()
        var snapshot: DatabaseSnapshot? = try watched.database.makeSnapshot()
        _ = try await snapshot?.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        let status = watched.status()
        #expect(status.snapshots.map(\.label) == ["shop.snapshot.1"])
        #expect(status.snapshots.map(\.origin) == [nil])
        #expect(status.snapshotsMade == 1)
        let connection = try #require(status.connections.first { $0.role == .snapshot })
        #expect(connection.state == .idle)
        #expect(connection.transaction == .read)
        snapshot = nil
        try eventually { watched.status().snapshots.isEmpty }
        #expect(watched.status().snapshotsMade == 1)
        #expect(await events.next()?.kind == .snapshotMade(by: nil))
        guard case .snapshotClosed(nil, _)? = await events.next()?.kind else {
            Issue.record("the snapshot was not closed")
            return
        }
    }

    @Test func closedConnectionsAreRemoved() throws {
        let watched = try test.pool()
        _ = try watched.read { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(watched.status().readers?.open == 1)
        watched.database.releaseMemory()
        #expect(watched.status().readers?.open == 0)
        #expect(!watched.status().isClosed)
        try watched.database.close()
        #expect(watched.status().isClosed)
        #expect(watched.status().connections.isEmpty)
    }

    @Test func slowAccessesAreEvents() async throws {
        let watched = try test.pool()
        var events = watched.events(slowerThan: .zero).makeAsyncIterator()
        try await watched.write(as: "slow") { _ in }
        guard case .slowAccess(let origin, _, _)? = await events.next()?.kind else {
            Issue.record("the access was not reported")
            return
        }
        #expect(origin.name == "slow")
    }

    @Test func aQueueHasOneConnection() throws {
        let watched = try WatchedDatabase { try DatabaseQueue(configuration: $0) }
        try watched.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let hold = try Hold { try watched.read(as: "ui", $0) }
        let status = watched.status()
        #expect(status.kind == .queue)
        #expect(status.label == "GRDB.DatabaseQueue")
        #expect(status.path == nil)
        #expect(status.readers == nil)
        #expect(status.wal == nil)
        #expect(status.connections.map(\.role) == [.queue])
        #expect(status.connections[0].holder?.name == "ui")
        try hold.end()
        #expect(watched.status().acquire?.count == 2)
        #expect(watched.status().writerAcquire == nil)
    }

    @Test func anInterruptEndsRunningStatements() throws {
        let watched = try test.pool()
        let endless = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
            """
        let reading = Background {
            _ = try watched.read { try Int.fetchOne($0, sql: endless) }
        }
        try eventually {
            watched.status().connections.contains { $0.sql?.hasPrefix("WITH") == true }
        }
        let running = try reader(watched.status())
        #expect(running.state == .statement)
        #expect(running.sqlNanoseconds ?? 0 > 0)
        #expect(running.transaction == .read)
        watched.interrupt()
        let error = #expect(throws: DatabaseError.self) { try reading.end() }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        // The counts are unknown, because a program can also interrupt the GRDB pool directly.
        #expect(watched.status().interrupts == nil)
    }

    @Test func aCheckpointCopiesTheLog() async throws {
        let watched = try test.pool()
        let result = try await watched.passiveCheckpoint()
        #expect(result.frames > 0)
        #expect(result.checkpointed == result.frames)
    }
}
#endif
