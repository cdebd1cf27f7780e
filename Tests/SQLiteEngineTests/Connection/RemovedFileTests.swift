import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Writes to a database whose file has been removed or replaced.
///
/// SQLite would write to the removed file, and the data would be lost.
struct RemovedFileTests {
    private let folder = TemporaryFolder()

    private enum Database: CaseIterable {
        case pool, queue, walQueue

        func open(_ path: String) throws -> any DatabaseWriter {
            switch self {
            case .pool: return try DatabasePool(path: path)
            case .queue: return try DatabaseQueue(path: path)
            case .walQueue:
                var configuration = Configuration()
                configuration.journalMode = .wal
                return try DatabaseQueue(path: path, configuration: configuration)
            }
        }
    }

    private enum Change: CaseIterable {
        case removed, renamed, replaced

        func apply(_ path: String) throws {
            for suffix in ["", "-wal", "-shm"]
            where FileManager.default.fileExists(atPath: path + suffix) {
                if self == .renamed {
                    try FileManager.default.moveItem(
                        atPath: path + suffix,
                        toPath: path + ".old" + suffix
                    )
                } else {
                    try FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            guard self == .replaced else { return }
            try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (x)") }
        }
    }

    @Test(arguments: Database.allCases, Change.allCases)
    private func aWriteFails(_ kind: Database, _ change: Change) throws {
        let path = folder.file()
        let database = try kind.open(path)
        try database.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try change.apply(path)
        let insert = "INSERT INTO t VALUES (1)"
        let writes: [(any DatabaseWriter) throws -> Void] = [
            { try $0.write { try $0.execute(sql: insert) } },
            { try $0.writeWithoutTransaction { try $0.execute(sql: insert) } },
            { try $0.writeWithoutTransaction { try $0.execute(sql: "BEGIN; \(insert); COMMIT") } },
            { try $0.writeWithoutTransaction { try $0.execute(sql: "SAVEPOINT s; \(insert)") } },
            { try $0.unsafeReentrantWrite { try $0.execute(sql: insert) } },
            {
                try $0.writeWithoutTransaction { db in
                    try db.inTransaction {
                        try db.execute(sql: insert)
                        return .commit
                    }
                }
            },
        ]
        for write in writes {
            let error = databaseError { try write(database) }
            #expect(error?.resultCode == .SQLITE_CANTOPEN)
            let problem =
                change == .replaced ? "another file has replaced" : "was removed or renamed"
            #expect(error?.message?.contains(problem) == true)
            #expect(error.map { "\($0)".contains(path) } == true)
        }
    }

    @Test func anAsynchronousWriteFails() async throws {
        let path = folder.file()
        let pool = try DatabasePool(path: path)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try Change.removed.apply(path)
        await #expect(throws: DatabaseError.self) {
            try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        await #expect(throws: DatabaseError.self) {
            try await pool.barrierWriteWithoutTransaction {
                try $0.execute(sql: "INSERT INTO t VALUES (1)")
            }
        }
    }

    @Test func aDatabaseInMemoryHasNoFile() throws {
        for queue in [try DatabaseQueue(), try DatabaseQueue(named: "RemovedFileTests")] {
            try queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        }
    }

    /// A file that is moved back is the database file again.
    @Test func aWriteSucceedsAfterTheFileIsMovedBack() throws {
        let path = folder.file()
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        #expect(throws: DatabaseError.self) {
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    /// Renaming a folder above the file changes the path, too.
    @Test(arguments: Database.allCases)
    private func aWriteFailsWhileAFolderIsRenamed(_ kind: Database) throws {
        let parent = folder.file("a")
        try FileManager.default.createDirectory(
            atPath: parent + "/b",
            withIntermediateDirectories: true
        )
        let database = try kind.open(parent + "/b/database.sqlite")
        try database.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try FileManager.default.moveItem(atPath: parent, toPath: parent + "-old")
        let error = databaseError {
            try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        try FileManager.default.moveItem(atPath: parent + "-old", toPath: parent)
        try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    /// The events of all files share one queue.
    @Test func anEventOfOneFileDoesNotHideThatOfAnother() throws {
        let files = (0..<4).map { folder.file("\($0).sqlite") }
        let pools = try files.map { try DatabasePool(path: $0) }
        for pool in pools { try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") } }
        for path in files { try FileManager.default.removeItem(atPath: path) }
        for pool in pools + pools.reversed() {
            #expect(throws: DatabaseError.self) {
                try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
    }

    @Test func aRemovedDatabaseCanBeCopied() throws {
        let path = folder.file()
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
        try FileManager.default.removeItem(atPath: path)
        try queue.vacuum(into: path + ".copy")
        let copy = try DatabaseQueue(path: path + ".copy")
        #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT x FROM t") } == 1)
    }

    @Test func aWriteToARemovedAttachedFileFails() throws {
        let queue = try DatabaseQueue(path: folder.file())
        let attached = folder.file("attached.sqlite")
        try queue.inDatabase { db in
            try db.execute(sql: "ATTACH '\(attached)' AS a; CREATE TABLE a.t (x)")
        }
        try FileManager.default.removeItem(atPath: attached)
        let error = databaseError {
            try queue.write { try $0.execute(sql: "INSERT INTO a.t VALUES (1)") }
        }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        #expect(error.map { "\($0)".contains(attached) } == true)
    }
}
