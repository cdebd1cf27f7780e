import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct CloseTests {
    private let folder = TemporaryFolder()

    private func expectClosed(_ body: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self) { try body() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message == "Connection is closed")
    }

    @Test func closingTwiceHasNoEffect() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let queue = try DatabaseQueue.withTable()
        let snapshot = try pool.makeSnapshot()
        for _ in 0..<2 {
            try pool.close()
            try queue.close()
            try snapshot.close()
        }
        #expect(pool.status().isClosed)
        #expect(queue.status().isClosed)
        #expect(snapshot.status().isClosed)
    }

    @Test func accessesAfterCloseThrow() throws {
        let pool = try DatabasePool.withTable(in: folder)
        _ = try pool.rowCount()
        try pool.close()
        expectClosed { try pool.read { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try pool.unsafeRead { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try pool.unsafeReentrantRead { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try pool.write { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try pool.writeWithoutTransaction { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try pool.unsafeReentrantWrite { db in try db.execute(sql: "SELECT 1") } }
        expectClosed {
            try pool.barrierWriteWithoutTransaction { db in try db.execute(sql: "SELECT 1") }
        }
        expectClosed { _ = try pool.makeSnapshot() }
        let queue = try DatabaseQueue.withTable()
        try queue.close()
        expectClosed { try queue.read { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try queue.write { db in try db.execute(sql: "SELECT 1") } }
        expectClosed { try queue.inDatabase { db in try db.execute(sql: "SELECT 1") } }
        expectClosed {
            try queue.barrierWriteWithoutTransaction { db in try db.execute(sql: "SELECT 1") }
        }
    }

    @Test func asyncAccessesAfterCloseThrow() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.close()
        let error = await #expect(throws: DatabaseError.self) {
            try await pool.read { _ in }
        }
        #expect(error?.message == "Connection is closed")
    }

    @Test func aSnapshotOutlivesItsPool() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in try db.insert(1) }
        let snapshot = try pool.makeSnapshot()
        try pool.close()
        try snapshot.read { db in try #expect(db.rowCount() == 1) }
        try snapshot.close()
        expectClosed { try snapshot.read { db in try db.execute(sql: "SELECT 1") } }
    }

    @Test(arguments: [true, false])
    func aLiveStatementMakesCloseThrowAndNothingIsClosed(isOnReader: Bool) throws {
        let closedCount = Lock(0)
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.onConnectionDidClose { closedCount.withLock { $0 += 1 } }
                // Without kept transactions, no timer acquires a connection.
                $0.keepsReadTransactions = false
            }
        )
        try pool.write { db in try db.insert(1) }
        let sql = "SELECT count(*) FROM t"
        let statement = UncheckedBox<Statement>(nil)
        try pool.read { db in if isOnReader { statement.value = try db.makeStatement(sql: sql) } }
        try pool.write { db in if !isOnReader { statement.value = try db.makeStatement(sql: sql) } }
        let error = #expect(throws: DatabaseError.self) { try pool.close() }
        #expect(error?.resultCode == .SQLITE_BUSY)
        #expect(error?.message?.contains(isOnReader ? ".reader.1" : ".writer") == true)
        #expect(error?.message?.contains("`\(sql)`") == true)
        #expect(!pool.status().isClosed)
        #expect(closedCount.withLock { $0 } == 0)
        // The statement itself also remains usable on its connection.
        let count: (Database) throws -> Void = { _ in
            try #expect(statement.value.map { try Int.fetchOne($0) } == 1)
        }
        if isOnReader {
            try pool.read(count)
        } else {
            try pool.write(count)
        }
        try pool.write { db in try db.insert(2) }
        #expect(try pool.rowCount() == 2)
        statement.value = nil
        try pool.close()
        #expect(closedCount.withLock { $0 } == 2)
        expectClosed { try pool.read { db in try db.execute(sql: "SELECT 1") } }
    }

    @Test func aRetainedCachedStatementMakesCloseThrow() throws {
        let queue = try DatabaseQueue.withTable()
        let statement = try queue.inDatabase { db in
            UncheckedBox(try db.cachedStatement(sql: "SELECT count(*) FROM t"))
        }
        let error = #expect(throws: DatabaseError.self) { try queue.close() }
        #expect(error?.resultCode == .SQLITE_BUSY)
        #expect(try queue.rowCount() == 0)
        statement.value = nil
        try queue.close()
    }

    @Test func closingWaitsForTheRunningAccess() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        let read = Background {
            try pool.read { db in
                isInside.open()
                try mayEnd.wait()
                return try db.rowCount()
            }
        }
        try isInside.wait()
        let close = Background { try pool.close() }
        try eventually { !pool.status().waitingWriters.isEmpty }
        #expect(!close.isDone)
        mayEnd.open()
        #expect(try read.value() == 0)
        try close.value()
    }

    @Test func waitersThrowWhenTheDatabaseIsClosed() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let isInside = Gate()
        let mayEnd = Gate()
        let read = Background {
            try pool.read { db in
                isInside.open()
                try mayEnd.wait()
            }
        }
        try isInside.wait()
        // The closing thread now holds the writer and waits for the reader.
        let close = Background { try pool.close() }
        try await eventuallyAsync { pool.status().waitingWriters.count == 1 }
        let threads = (0..<3).map { _ in Background { try pool.read { _ in } } }
        let tasks = (0..<3).map { _ in Task { try await pool.read { _ in } } }
        let writer = Background { try pool.write { _ in } }
        try await eventuallyAsync {
            pool.status().waitingReaders.count == 6 && pool.status().waitingWriters.count == 2
        }
        mayEnd.open()
        try await eventuallyAsync { read.isDone && close.isDone && threads.allSatisfy(\.isDone) }
        try close.value()
        for thread in threads { expectClosed { try thread.value() } }
        for task in tasks {
            let error = await #expect(throws: DatabaseError.self) { try await task.value }
            #expect(error?.message == "Connection is closed")
        }
        expectClosed { try writer.value() }
        #expect(pool.status().waitingReaders.isEmpty)
    }

    @Test func concurrentCallsCloseOnce() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        let read = Background {
            try pool.read { _ in
                isInside.open()
                try mayEnd.wait()
            }
        }
        try isInside.wait()
        let starts = Gate()
        let closers = (0..<4).map { _ in
            Background {
                starts.open()
                try pool.close()
            }
        }
        for _ in closers { try starts.wait() }
        try eventually { !pool.status().waitingWriters.isEmpty }
        mayEnd.open()
        try read.value()
        for closer in closers { try closer.value() }
    }

    @Test func releasingTheLastReferenceClosesTheReadersBeforeTheWriter() throws {
        var pool: DatabasePool? = try DatabasePool.withTable(in: folder)
        _ = try pool?.rowCount()
        #expect(FileManager.default.fileExists(atPath: folder.file() + "-wal"))
        pool = nil
        // The connection that is closed last checkpoints and removes the log if the connection can
        // write.
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
    }

    @Test func closingRemovesTheLog() throws {
        let pool = try DatabasePool.withTable(in: folder)
        _ = try pool.rowCount()
        try pool.close()
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
        #expect(try DatabasePool(path: folder.file()).rowCount() == 0)
    }

    @Test func aClosedConnectionIsNotInterrupted() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.close()
        pool.interrupt()
        #expect(pool.status().interrupts?.withoutEffect == 1)
    }

    @Test func aReaderThatFailsToOpenDoesNotBlockClosing() throws {
        struct Mistake: Error {}
        let isOpening = Gate()
        let mayFail = Gate()
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with {
                $0.prepareDatabase { db in
                    guard db.label.contains("reader") else { return }
                    isOpening.open()
                    try mayFail.wait()
                    throw Mistake()
                }
            }
        )
        let read = Background { try pool.read { _ in } }
        try isOpening.wait()
        let close = Background { try pool.close() }
        try eventually { pool.status().waitingWriters.count == 1 }
        mayFail.open()
        #expect(throws: Mistake.self) { try read.value() }
        try close.value()
    }
}
