import EngineTarget
import Foundation
import SQLiteEngine
import Testing
import WorkloadEngine

@testable import Scenarios

/// Tests scenarios and arms that use existing databases.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseCopyTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    /// Creates a database whose last rows are only in its write-ahead log.
    private func makeDatabase(at path: String, rows: Int) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE own (id INTEGER PRIMARY KEY, text TEXT)")
            for _ in 0..<rows { try db.execute(sql: "INSERT INTO own (text) VALUES ('x')") }
        }
        return queue
    }

    private func count(at path: String) throws -> Int? {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM own") }
    }

    @Test func aCopyContainsTheLogAndUsesARollbackJournal() async throws {
        try await withFolder { folder in
            let source = folder.appendingPathComponent("app.sqlite").path
            let copy = folder.appendingPathComponent("copy.sqlite").path
            let sourceQueue = try makeDatabase(at: source, rows: 3000)
            var shares: [Double] = []
            try EngineTargetFactory().copyDatabase(at: source, to: copy) { shares.append($0) }
            #expect(shares.last == 1)
            #expect(shares == shares.sorted())
            // The source remains usable.
            try await sourceQueue.write { try $0.execute(sql: "DELETE FROM own") }
            #expect(try count(at: copy) == 3000)
            let queue = try DatabaseQueue(path: copy)
            let mode = try await queue.read {
                try String.fetchOne($0, sql: "PRAGMA journal_mode")
            }
            #expect(mode == "delete")
            try queue.close()
            try sourceQueue.close()
        }
    }

    @Test func anErrorInTheProgressClosureEndsTheCopy() async throws {
        try await withFolder { folder in
            let source = folder.appendingPathComponent("app.sqlite").path
            let queue = try makeDatabase(at: source, rows: 10)
            // The backup needs more than one step, because a complete backup cannot be canceled.
            try await queue.write {
                try $0.execute(sql: "INSERT INTO own (text) VALUES (zeroblob(6000000))")
            }
            try queue.close()
            #expect(throws: CancellationError.self) {
                try EngineTargetFactory().copyDatabase(
                    at: source,
                    to: folder.appendingPathComponent("copy.sqlite").path
                ) { _ in throw CancellationError() }
            }
        }
    }

    @Test func eachArmRunsOnItsOwnDataAndSourcesAreUnchanged() async throws {
        try await withFolder { folder in
            for (name, rows) in [("small.sqlite", 10), ("large.sqlite", 500)] {
                try makeDatabase(at: folder.appendingPathComponent(name).path, rows: rows).close()
            }
            let yaml = """
                version: 1
                name: own
                dataset: {file: small.sqlite}
                arms:
                  small: {type: queue}
                  large: {type: pool, file: large.sqlite}
                phases: [{name: steady, duration: 200ms}]
                variables: {new: {distribution: sequential, min: 1000}}
                clients:
                  add:
                    access: write
                    arrival: {rate: 100/s, process: even}
                    sql: "INSERT INTO own (id) VALUES (:new)"
                invariants:
                  - {name: few, sql: SELECT count(*) < 500 FROM own WHERE id < 1000}
                """
            let file = folder.appendingPathComponent("own.yaml").path
            let scenario = try Scenario.parse(yaml: yaml, file: file)
            var options = RunOptions()
            options.folder = folder
            var outcomes: [Bool?] = []
            for arm in scenario.arms {
                let run = WorkloadRun(
                    scenario: scenario,
                    arm: arm,
                    factory: EngineTargetFactory(),
                    options: options
                )
                let result = try await run.run()
                #expect((result.clients["add"]?.completed ?? 0) > 0)
                #expect(result.clients["add"]?.errorCount == 0)
                outcomes.append(result.invariants.first?.passed)
            }
            #expect(outcomes == [true, false])
            #expect(try count(at: folder.appendingPathComponent("small.sqlite").path) == 10)
            #expect(try count(at: folder.appendingPathComponent("large.sqlite").path) == 500)
        }
    }

    @Test func aPathIsRelativeToTheScenarioFile() {
        func path(_ text: String, _ file: String) -> String {
            ScenarioDecoder.path(text, relativeTo: file)
        }
        #expect(path("app.sqlite", "/a/b/mine.yaml") == "/a/b/app.sqlite")
        #expect(path("../app.sqlite", "b/mine.yaml") == "b/../app.sqlite")
        #expect(path("/x/app.sqlite", "/a/mine.yaml") == "/x/app.sqlite")
        #expect(path("app.sqlite", "mine.yaml") == "app.sqlite")
        #expect(path("app.sqlite", "-") == "app.sqlite")
        #expect(path("app.sqlite", "/dev/stdin") == "app.sqlite")
        #expect(!path("~/app.sqlite", "/a/mine.yaml").contains("~"))
    }
}
