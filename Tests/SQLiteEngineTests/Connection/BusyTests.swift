import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests how connections behave while other connections hold locks.
@Suite(.timeLimit(.minutes(1)))
struct BusyTests {
    private let folder = TemporaryFolder()

    /// Runs `body` while another connection holds the write lock.
    private func withLockedFile(_ body: (DatabaseQueue) throws -> Void) throws {
        let other = try DatabaseQueue(path: folder.file())
        try other.write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t (v)")
            try body(other)
        }
    }

    private func makeQueue(_ mode: Database.BusyMode) throws -> DatabaseQueue {
        try DatabaseQueue(path: folder.file(), configuration: .with { $0.busyMode = mode })
    }

    @Test func immediateErrorModeThrowsWithoutWaiting() throws {
        let queue = try makeQueue(.immediateError)
        try withLockedFile { _ in
            let error = #expect(throws: DatabaseError.self) { try queue.write { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        try queue.write { _ in }
    }

    @Test func aConflictIsCountedOnce() throws {
        let queue = try makeQueue(.immediateError)
        try withLockedFile { _ in
            for count in 1...3 {
                #expect(throws: DatabaseError.self) { try queue.write { _ in } }
                #expect(queue.status().busyCount == UInt64(count))
            }
            #expect(throws: DatabaseError.self) {
                try queue.inDatabase { db in try db.execute(sql: "CREATE TABLE u (v)") }
            }
            #expect(queue.status().busyCount == 4)
        }
        #expect(queue.status().busyUpgradeCount == 0)
        #expect(queue.status().connections.first?.busyCount == 4)
    }

    @Test func aLockWithoutABusyHandlerCallIsAlsoCounted() throws {
        let configuration = Configuration.with { $0.journalMode = .wal }
        let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v)") }
        let other = try DatabaseQueue(path: folder.file(), configuration: configuration)
        let error = #expect(throws: DatabaseError.self) {
            try queue.inTransaction(.deferred) { db in
                try #expect(db.rowCount() == 0)
                try other.write { db in try db.insert(1) }
                // The snapshot is outdated, so waiting would not help.
                try db.insert(2)
                return .commit
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_BUSY_SNAPSHOT)
        #expect(queue.status().busyCount == 1)
        #expect(queue.status().busyUpgradeCount == 1)
        #expect(error?.lockWait?.didStopRetrying == false)
    }

    @Test(arguments: [0.0, 0.02])
    func anErrorReportsTheWaitInTheBusyHandler(timeout: Double) throws {
        let queue = try makeQueue(timeout > 0 ? .timeout(timeout) : .immediateError)
        try withLockedFile { _ in
            let error = #expect(throws: DatabaseError.self) { try queue.write { _ in } }
            let wait = try #require(error?.lockWait)
            #expect(wait.didStopRetrying && wait.timeout == UInt64(timeout * 1e9))
            #expect(wait.nanoseconds >= UInt64(timeout * 1e9))
            #expect(wait.nanoseconds < 5_000_000_000)
        }
        let otherError = #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "SELECT * FROM missing") }
        }
        #expect(otherError?.lockWait == nil)
    }

    /// A checkpoint reports a lock as its result, so the checkpoint's wait is not part of a later
    /// failure.
    @Test func theWaitOfABlockedCheckpointIsNotPartOfALaterError() throws {
        let configuration = Configuration.with {
            $0.journalMode = .wal
            $0.busyMode = .timeout(0.01)
        }
        let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v)") }
        let other = try DatabaseQueue(path: folder.file(), configuration: configuration)
        let error = #expect(throws: DatabaseError.self) {
            try queue.inDatabase { db in
                try other.write { writer in
                    try writer.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.execute(sql: "PRAGMA wal_checkpoint(FULL)")
                    defer { try? db.execute(sql: "ROLLBACK") }
                    try db.execute(sql: "BEGIN; SELECT * FROM t; INSERT INTO t VALUES (2)")
                }
            }
        }
        #expect(error?.resultCode == .SQLITE_BUSY)
        #expect(error?.lockWait?.didStopRetrying == false)
    }

    @Test func aCallbackControlsRetriesAndTheWaitIsReported() throws {
        let tries = Lock<[Int]>([])
        let isCalled = Gate()
        let mayAnswer = Gate()
        let queue = try makeQueue(
            .callback { count in
                tries.withLock { $0.append(count) }
                isCalled.open()
                try? mayAnswer.wait()
                return count < 2
            }
        )
        try withLockedFile { _ in
            let write = Background { try queue.write { _ in } }
            try isCalled.wait()
            #expect(queue.status().connections.first?.state == .waitingForLock)
            for _ in 0..<3 { mayAnswer.open() }
            #expect(throws: DatabaseError.self) { try write.value() }
        }
        #expect(tries.withLock { $0 } == [0, 1, 2])
        #expect(queue.status().busyCount == 1)
        #expect(queue.status().connections.first?.state == .idle)
    }

    @Test func aTimeoutWaitsForTheLock() throws {
        let queue = try makeQueue(.timeout(20))
        // This queue also waits, because the other connection briefly holds a shared lock between
        // two attempts.
        let other = try makeQueue(.timeout(20))
        let isLocked = Gate()
        let mayCommit = Gate()
        let holder = Background {
            try other.write { db in
                try db.execute(sql: "CREATE TABLE t (v)")
                isLocked.open()
                try mayCommit.wait()
            }
        }
        try isLocked.wait()
        let write = Background { try queue.write { db in try db.insert(1) } }
        try eventually { queue.status().connections.first?.state == .waitingForLock }
        mayCommit.open()
        try holder.value()
        try write.value()
        #expect(try queue.rowCount() == 1)
        #expect(queue.status().busyCount == 1)
    }

    @Test func theReadersOfAPoolHaveASeparateTimeout() throws {
        let callCounts = Lock<[String: Int]>([:])
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.readonlyBusyMode = .callback { _ in
                    callCounts.withLock { $0["reader", default: 0] += 1 }
                    return false
                }
                $0.busyMode = .callback { _ in
                    callCounts.withLock { $0["writer", default: 0] += 1 }
                    return false
                }
            }
        )
        try DatabaseQueue(path: folder.file()).write { _ in
            #expect(throws: DatabaseError.self) { try pool.write { _ in } }
            try #expect(pool.rowCount() == 0)
        }
        #expect(callCounts.withLock { $0 } == ["writer": 1])
    }

    @Test func theDelaysMatchThoseOfSQLite() {
        var pauses: [Int] = []
        while let pause = BusyBackoff.pause(tries: pauses.count, timeout: 0.5) {
            pauses.append(pause)
        }
        #expect(pauses == [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100, 100, 72])
        #expect(pauses.reduce(0, +) == 500)
        #expect(BusyBackoff.pause(tries: 0, timeout: 0) == nil)
    }
}
