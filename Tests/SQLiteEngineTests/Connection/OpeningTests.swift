import CSQLite
import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct OpeningTests {
    private let folder = TemporaryFolder()

    /// Checks that neither a queue nor a pool can open `path`, and returns the pool's error.
    private func expectOpeningFailure(
        of path: String,
        configuration: Configuration = Configuration()
    ) throws -> DatabaseError {
        let queue = #expect(throws: DatabaseError.self) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
        let pool = #expect(throws: DatabaseError.self) {
            try DatabasePool(path: path, configuration: configuration)
        }
        #expect(queue?.resultCode == pool?.resultCode)
        return try #require(pool)
    }

    @Test func aMissingFolderIsReported() throws {
        let path = folder.file("nowhere/db.sqlite")
        let error = try expectOpeningFailure(of: path)
        #expect(error.resultCode == .SQLITE_CANTOPEN)
        #expect(error.description.contains(path))
        #expect(!FileManager.default.fileExists(atPath: folder.file("nowhere")))
    }

    @Test func aFolderIsNotADatabase() throws {
        #expect(try expectOpeningFailure(of: folder.path).resultCode == .SQLITE_CANTOPEN)
    }

    @Test func readOnlyConnectionsDoNotCreateAFile() throws {
        let configuration = Configuration.with { $0.readonly = true }
        let error = try expectOpeningFailure(of: folder.file(), configuration: configuration)
        #expect(error.resultCode == .SQLITE_CANTOPEN)
        #expect(!FileManager.default.fileExists(atPath: folder.file()))
    }

    @Test(arguments: [50, 5_000])
    func openingAFileThatIsNotADatabaseFailsImmediately(size: Int) throws {
        let text = Data(repeating: UInt8(ascii: "x"), count: size)
        try text.write(to: URL(fileURLWithPath: folder.file()))
        let error = try expectOpeningFailure(of: folder.file())
        #expect(error.resultCode == .SQLITE_NOTADB)
        #expect(error.description.contains(folder.file()))
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file())) == text)
    }

    @Test(arguments: [40, 3 * 4_096] as [UInt64])
    func openingATruncatedFileFailsImmediately(size: UInt64) throws {
        try makeDatabase(rows: 2_000)
        try truncate(to: size)
        let error = try expectOpeningFailure(of: folder.file())
        #expect(error.resultCode == .SQLITE_CORRUPT)
        #expect(error.description.contains(folder.file()))
    }

    @Test(arguments: [":memory:", "", "file::memory:?cache=shared"])
    func aPoolRequiresAFile(path: String) {
        let error = #expect(throws: DatabaseError.self) { try DatabasePool(path: path) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message?.contains("DatabaseQueue") == true)
    }

    @Test func aPoolThatCannotSwitchToWALModeThrows() throws {
        try makeDatabase(rows: 1)
        let queue = try DatabaseQueue(path: folder.file())
        try queue.inDatabase { db in
            try db.inTransaction(.exclusive) {
                let error = #expect(throws: DatabaseError.self) {
                    try DatabasePool(path: folder.file())
                }
                #expect(error?.resultCode == .SQLITE_BUSY)
                return .commit
            }
        }
        #expect(try DatabasePool(path: folder.file()).rowCount() == 1)
    }

    @Test func aReadOnlyPoolReads() throws {
        let writingPool = try DatabasePool.withTable(in: folder)
        try writingPool.write { db in try db.insert(1) }
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with { $0.readonly = true }
        )
        #expect(try pool.rowCount() == 1)
        let error = #expect(throws: DatabaseError.self) {
            try pool.write { db in try db.insert(2) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        try writingPool.write { db in try db.insert(2) }
        #expect(try pool.rowCount() == 2)
        #expect(pool.status().journalMode == "wal")
    }

    @Test func aReadOnlyPoolDoesNotChangeAFileWithoutWAL() throws {
        try makeDatabase(rows: 3)
        let configuration = Configuration.with { $0.readonly = true }
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        #expect(try pool.rowCount() == 3)
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: folder.file() + suffix))
        }
        #expect(pool.status().journalMode == "delete")
        #expect(pool.status().wal == nil)
        try pool.close()
    }

    @Test func aReadOnlyQueueReads() throws {
        try makeDatabase(rows: 3)
        let queue = try DatabaseQueue(
            path: folder.file(),
            configuration: .with { $0.readonly = true }
        )
        #expect(try queue.rowCount() == 3)
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in try db.insert(10) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func aReaderCanAttachToAnEmptyLog() throws {
        _ = try DatabasePool.withTable(in: folder)
        // Closing the previous pool removed the log, but a reader requires a log even before the
        // first write.
        let pool = try DatabasePool(path: folder.file())
        #expect(try pool.rowCount() == 0)
        #expect(try pool.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") } == 0)
    }

    @Test func aPoolUsesWALWithNormalSynchronization() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.writeWithoutTransaction { db in
            try #expect(String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
            try #expect(Int.fetchOne(db, sql: "PRAGMA synchronous") == 1)
        }
    }

    private func makeDatabase(rows: Int) throws {
        let queue = try DatabaseQueue(path: folder.file())
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (v UNIQUE)")
            for value in 0..<rows { try db.insert(value) }
        }
        try queue.close()
    }

    private func truncate(to size: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.file()))
        try file.truncate(atOffset: size)
        try file.close()
    }

    @Test func allSettingsAreAppliedBeforeTheClosuresRun() throws {
        let lines = CollectedLines()
        let configuration = Configuration.with {
            $0.busyMode = .timeout(3)
            $0.prepareDatabase { db in
                // SQLite uses no mutex, so its caller must serialize threads.
                lines.append(sqlite3_db_mutex(db.sqliteConnection) == nil ? "no mutex" : "mutex")
                let keys = try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == true
                lines.append(keys ? "foreign keys" : "no foreign keys")
                #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT \"text\"") }
                let text = try String.fetchOne(db, sql: "SELECT swiftLowercaseString('Ö')")
                lines.append(text ?? "no functions")
                if case .timeout(let seconds) = db.probe.busyMode.withLock({ $0 }) {
                    lines.append("\(seconds) s")
                }
            }
        }
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
        let common = ["no mutex", "foreign keys", "ö"]
        // The writer comes first. A reader follows, which always has a timeout of ten seconds.
        #expect(lines.all == common + ["3.0 s"] + common + ["10.0 s"])
    }

    @Test func theFirstReadRunsAfterTheClosures() throws {
        try Data(repeating: 65, count: 4_096).write(to: URL(fileURLWithPath: folder.file()))
        let lines = CollectedLines()
        let configuration = Configuration.with {
            // Encryption keys must be set at this point, before SQLite reads the file.
            $0.prepareDatabase { _ in lines.append("prepared") }
        }
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue(path: folder.file(), configuration: configuration)
        }
        #expect(error?.resultCode == .SQLITE_NOTADB)
        #expect(lines.all == ["prepared"])
    }
}
