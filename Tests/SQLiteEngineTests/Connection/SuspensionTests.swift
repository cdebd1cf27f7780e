import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests suspended databases, which must not acquire locks.
@Suite(.timeLimit(.minutes(1)))
struct SuspensionTests {
    private let folder = TemporaryFolder()

    private func makeQueue(mode: String) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: folder.file("\(mode).sqlite"))
        try queue.inDatabase { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode)")
            try db.execute(sql: "CREATE TABLE t (v UNIQUE)")
        }
        return queue
    }

    private func expectSuspensionError(_ body: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self, performing: body)
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(error?.message == "Database is suspended")
        #expect(error?.sql?.isEmpty == false)
    }

    @Test func withARollbackJournalEveryStatementThrows() throws {
        let queue = try makeQueue(mode: "delete")
        queue.suspend()
        expectSuspensionError { _ = try queue.rowCount() }
        expectSuspensionError { try queue.write { db in try db.insert(1) } }
        expectSuspensionError { try queue.inDatabase { db in _ = try db.rowCount() } }
        for sql in ["BEGIN", "SAVEPOINT s", "INSERT INTO t VALUES (1)"] {
            expectSuspensionError { try queue.inDatabase { db in try db.execute(sql: sql) } }
        }
        queue.resume()
        try queue.write { db in try db.insert(1) }
        try #expect(queue.rowCount() == 1)
    }

    @Test func withAWriteAheadLogReadsAreAllowed() throws {
        let queue = try makeQueue(mode: "wal")
        queue.suspend()
        try #expect(queue.rowCount() == 0)
        try queue.inDatabase { db in
            try db.inTransaction(.deferred) {
                try #expect(db.rowCount() == 0)
                return .commit
            }
            try db.execute(sql: "SAVEPOINT s; RELEASE s")
        }
        expectSuspensionError { try queue.write { db in try db.insert(1) } }
        expectSuspensionError { try queue.inDatabase { db in try db.insert(1) } }
        queue.resume()
        try queue.write { db in try db.insert(1) }
    }

    @Test(arguments: ["delete", "wal"])
    func endingATransactionIsAllowed(mode: String) throws {
        let queue = try makeQueue(mode: mode)
        for end in ["COMMIT", "END TRANSACTION", "ROLLBACK"] {
            try queue.inDatabase { db in
                try db.execute(sql: "BEGIN")
                queue.suspend()
                try db.execute(sql: end)
                queue.resume()
            }
        }
        try queue.write { db in
            try db.insert(1)
            queue.suspend()
        }
        queue.resume()
        try #expect(queue.rowCount() == 1)
    }

    @Test(arguments: ["delete", "wal"])
    func aWriteThatThrowsDuringASuspensionLosesItsTransaction(mode: String) throws {
        let queue = try makeQueue(mode: mode)
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                queue.suspend()
                expectSuspensionError { try db.insert(2) }
                #expect(!db.isInsideTransaction)
                queue.resume()
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(error?.message == "Transaction was aborted")
        try #expect(queue.rowCount() == 0)
    }

    @Test func suspendingInterruptsTheRunningStatement() throws {
        let queue = try makeQueue(mode: "wal")
        let gate = StatementGate()
        queue.inDatabase { db in gate.install(on: db) }
        let work = Background {
            #expect(throws: DatabaseError.self) {
                try queue.inDatabase { db in _ = try Int.fetchOne(db, sql: StatementGate.longQuery)
                }
            }?.resultCode
        }
        try gate.awaitStatement()
        queue.suspend()
        gate.resume()
        try #expect(work.value() == .SQLITE_INTERRUPT)
    }

    @Test func theReadersOfAPoolContinue() throws {
        let pool = try DatabasePool.withTable(in: folder)
        pool.suspend()
        try #expect(pool.rowCount() == 0)
        expectSuspensionError { try pool.write { db in try db.insert(1) } }
        pool.resume()
        try pool.write { db in try db.insert(1) }
        let readOnlyPool = try DatabasePool(
            path: folder.file(),
            configuration: .with { $0.readonly = true }
        )
        readOnlyPool.suspend()
        try #expect(readOnlyPool.rowCount() == 1)
    }

    @Test func notificationsSuspendAndResumeObservingDatabases() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.observesSuspensionNotifications = true }
        )
        let other = try DatabaseQueue.withTable()
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        expectSuspensionError { try pool.write { db in try db.insert(1) } }
        try other.write { db in try db.insert(1) }
        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        try pool.write { db in try db.insert(1) }
    }
}
