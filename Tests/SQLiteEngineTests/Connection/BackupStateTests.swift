import Foundation
import SQLiteEngine
import TestSupport
import Testing

struct BackupStateTests {
    private let folder = TemporaryFolder()

    private func makePool() throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.file())
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (x BLOB)")
            for _ in 0..<500 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(500))") }
        }
        return pool
    }

    private func count(_ db: Database) throws -> Int? {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
    }

    private enum Source: CaseIterable { case backup, read, unsafeRead, snapshot }

    /// A backup copies the state at its start, in as many steps as its pages require, even if each
    /// step is followed by a commit.
    @Test(arguments: Source.allCases)
    private func aBackupCopiesOneState(_ source: Source) throws {
        let pool = try makePool()
        let copy = try DatabaseQueue()
        var steps: [DatabaseBackupProgress] = []
        func report(_ progress: DatabaseBackupProgress) throws {
            steps.append(progress)
            // The number of commits is limited so that a failing test ends.
            guard steps.count < 200 else { return }
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        func back(_ from: Database) throws {
            try copy.writeWithoutTransaction {
                try from.backup(to: $0, pagesPerStep: 10, progress: report)
            }
        }
        switch source {
        case .backup: try pool.backup(to: copy, pagesPerStep: 10, progress: report)
        case .read: try pool.read(back)
        case .unsafeRead: try pool.unsafeRead(back)
        case .snapshot: try pool.makeSnapshot().read(back)
        }
        let total = try #require(steps.first?.totalPageCount)
        #expect(steps.count == (total + 9) / 10)
        #expect(steps.map(\.completedPageCount) == steps.indices.map { min(($0 + 1) * 10, total) })
        #expect(try copy.read(count) == 500)
    }

    @Test func aBackupOnTheWriterIncludesItsOwnWrites() throws {
        let pool = try makePool()
        let copy = try DatabaseQueue()
        try pool.writeWithoutTransaction { from in
            try copy.writeWithoutTransaction { to in
                try from.backup(to: to, pagesPerStep: 10) { progress in
                    if progress.isCompleted { return }
                    try from.execute(sql: "INSERT INTO t VALUES (1)")
                }
            }
            #expect(!from.isInsideTransaction)
        }
        #expect(try copy.read(count) == pool.read(count))
    }

    @Test func aFailedBackupEndsItsTransaction() throws {
        let pool = try makePool()
        let copy = try DatabaseQueue()
        try pool.unsafeRead { from in
            #expect(throws: ThrownError.self) {
                try copy.writeWithoutTransaction {
                    try from.backup(to: $0, pagesPerStep: 1) { _ in throw ThrownError() }
                }
            }
            #expect(!from.isInsideTransaction)
        }
    }

    @Test func aQueueWithARollbackJournalCopiesOneState() throws {
        let queue = try DatabaseQueue(path: folder.file("queue.sqlite"))
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (x BLOB)")
            for _ in 0..<100 { try db.execute(sql: "INSERT INTO t VALUES (randomblob(500))") }
        }
        let other = try DatabaseQueue(path: folder.path + "/./queue.sqlite")
        let copy = try DatabaseQueue()
        var steps = 0
        try queue.backup(to: copy, pagesPerStep: 5) { progress in
            steps += 1
            // Another process cannot commit during the backup.
            guard !progress.isCompleted else { return }
            let error = databaseError {
                try other.write { try $0.execute(sql: "DELETE FROM t") }
            }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        #expect(steps > 2)
        #expect(try copy.read(count) == 100)
    }

    @Test func aBackupOntoARemovedFileOrAClosedDatabaseFails() throws {
        let pool = try makePool()
        let removed = try DatabaseQueue(path: folder.file("removed.sqlite"))
        try removed.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try FileManager.default.removeItem(atPath: removed.path)
        #expect(throws: DatabaseError.self) { try pool.backup(to: removed) }

        let closed = try DatabaseQueue()
        try closed.close()
        #expect(throws: DatabaseError.self) { try pool.backup(to: closed) }
        // The closed database's stand-in is empty, and must not replace the copy.
        let copy = try DatabaseQueue()
        try pool.backup(to: copy)
        let gate = Gate()
        closed.asyncWriteWithoutTransaction { stand in
            #expect(throws: DatabaseError.self) {
                try copy.writeWithoutTransaction { try stand.backup(to: $0) }
            }
            gate.open()
        }
        try gate.wait()
        #expect(try copy.read(count) == 500)
    }
}
