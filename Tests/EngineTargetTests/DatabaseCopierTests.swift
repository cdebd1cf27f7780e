import Foundation
import SQLiteEngine
import Scenarios
import Testing
import WorkloadEngine

@testable import EngineTarget

/// Tests copying databases that other connections use.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseCopierTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// Creates a database of about a hundred pages.
    private func makeDatabase(at path: String, usesWAL: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        if usesWAL { configuration.journalMode = .wal }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE own (id INTEGER PRIMARY KEY, data BLOB)")
            for _ in 0..<100 {
                try db.execute(sql: "INSERT INTO own (data) VALUES (zeroblob(4000))")
            }
        }
        return queue
    }

    private func count(at path: String) throws -> Int? {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM own") }
    }

    @Test(arguments: [false, true])
    func anotherConnectionWritesBetweenTheSteps(usesWAL: Bool) throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("app.sqlite").path
            let path = folder.appendingPathComponent("copy.sqlite").path
            let queue = try makeDatabase(at: source, usesWAL: usesWAL)
            var copier = DatabaseCopier()
            copier.pagesPerStep = 10
            var writes = 0
            copier.betweenSteps = {
                guard writes < 2 else { return }
                // The write fails with SQLITE_BUSY while the copy holds its lock.
                let result: Void? = try? queue.write {
                    try $0.execute(sql: "DELETE FROM own WHERE id > 98")
                }
                if result != nil { writes += 1 }
            }
            var shares: [Double] = []
            try copier.copy(source, to: path) { shares.append($0) }
            #expect(writes == 2)
            #expect(shares == shares.sorted())
            #expect(shares.last == 1)
            // In WAL mode, the copy contains the state at its start. In other modes, the write
            // restarts the copy.
            #expect(try count(at: path) == (usesWAL ? 100 : 98))
            try queue.close()
        }
    }

    @Test func aConstantlyChangingDatabaseIsCopiedUnderALock() throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("app.sqlite").path
            let path = folder.appendingPathComponent("copy.sqlite").path
            let queue = try makeDatabase(at: source, usesWAL: false)
            var copier = DatabaseCopier()
            copier.pagesPerStep = 10
            var writes = 0
            copier.betweenSteps = {
                let result: Void? = try? queue.write {
                    try $0.execute(sql: "UPDATE own SET data = zeroblob(4000) WHERE id = 1")
                }
                if result != nil { writes += 1 }
            }
            try copier.copy(source, to: path) { _ in }
            #expect(writes >= copier.maximumRestarts)
            #expect(try count(at: path) == 100)
            try queue.close()
        }
    }

    @Test func aMissingDatabaseIsReported() throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("none.sqlite").path
            let error = #expect(throws: (any Error).self) {
                try DatabaseCopier().copy(source, to: source + "-copy") { _ in }
            }
            #expect(String(describing: error).contains(source))
            #expect(!FileManager.default.fileExists(atPath: source))
        }
    }

    @Test func insufficientSpaceIsReportedWithFolderAndSizes() {
        let error = #expect(throws: FreeSpace.Shortage.self) {
            try FreeSpace.check(.max, in: "/", for: "a copy of 'app.sqlite'")
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("the folder '/' is full: a copy of 'app.sqlite' needs "))
        #expect(text.contains("are free") && text.contains("set TMPDIR"))
        #expect(throws: Never.self) { try FreeSpace.check(1, in: "/", for: "a byte") }
    }

    @Test func aCopyThatDoesNotFitIsReportedBeforeItStarts() throws {
        try withFolder { folder in
            let source = folder.appendingPathComponent("app.sqlite")
            try makeDatabase(at: source.path, usesWAL: false).close()
            // The file is sparse, and its size exceeds the free space.
            let free = try #require(FreeSpace.bytes(in: folder.path))
            #expect(truncate(source.path, off_t(free + 1 << 40)) == 0)
            let copy = folder.appendingPathComponent("copy.sqlite")
            let error = #expect(throws: FreeSpace.Shortage.self) {
                try DatabaseCopier().copy(source.path, to: copy.path) { _ in }
            }
            #expect(error?.folder == folder.path)
            #expect(error?.required == free + 1 << 40)
            #expect(error?.purpose == "a copy of 'app.sqlite'")
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
    }

    /// An arm without a journal setting behaves the same on generated data, on a copy, and in
    /// place.
    @Test func aQueueWithoutAJournalSettingUsesARollbackJournalInPlace() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("app.sqlite")
        try makeDatabase(at: file.path, usesWAL: true).close()
        let yaml = """
            version: 1
            name: own
            dataset: {sql: ["CREATE TABLE own (id INTEGER PRIMARY KEY, data BLOB)"]}
            arms: {queue: {type: queue}}
            phases: [{name: steady, duration: 100ms}]
            clients: {ui: {access: read, sql: SELECT count(*) FROM own}}
            """
        let scenario = try Scenario.parse(yaml: yaml, file: "own")
        for database in [nil, UserDatabase.copy(of: file), .inPlace(file)] {
            var options = RunOptions()
            options.folder = folder
            options.database = database
            let result = try await WorkloadRun(
                scenario: scenario,
                arm: scenario.arms[0],
                factory: EngineTargetFactory(),
                options: options
            ).run()
            #expect(result.journalSettings == "journal_mode delete, synchronous full")
        }
        // The file's journal mode is restored.
        let queue = try DatabaseQueue(path: file.path)
        let mode = try await queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
        try queue.close()
    }
}
