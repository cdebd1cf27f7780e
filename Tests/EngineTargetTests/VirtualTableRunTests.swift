import EngineTarget
import Foundation
import SQLiteEngine
import Scenarios
import Testing
import WorkloadEngine

/// Tests scenarios with virtual tables, which keep prepared statements on each connection.
@Suite(.timeLimit(.minutes(1)))
struct VirtualTableRunTests {
    private static let schema = """
        CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
        CREATE VIRTUAL TABLE words USING fts5(text);
        CREATE VIRTUAL TABLE old_words USING fts4(text);
        CREATE VIRTUAL TABLE place USING rtree(id, low, high);
        """

    private static let scenario = """
        version: 1
        name: search
        dataset: {file: notes.sqlite}
        arms:
          queue: {type: queue}
          pool: {type: pool, readers: 2}
          snapshot: {type: snapshot}
        phases: [{name: steady, duration: 200ms}]
        clients:
          search:
            access: read
            workers: 2
            sql:
              - SELECT count(*) FROM words WHERE words MATCH 'hello'
              - SELECT count(*) FROM old_words WHERE old_words MATCH 'hello'
              - SELECT count(*) FROM place WHERE low < 3
        """

    private func withScenario(_ body: (Scenario, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try DatabaseQueue(path: folder.appendingPathComponent("notes.sqlite").path)
        try await queue.write { db in
            try db.execute(sql: Self.schema)
            for table in ["words", "old_words"] {
                try db.execute(sql: "INSERT INTO \(table) VALUES ('hello world')")
            }
            try db.execute(sql: "INSERT INTO place VALUES (1, 1, 2)")
        }
        try queue.close()
        let file = folder.appendingPathComponent("search.yaml").path
        try await body(Scenario.parse(yaml: Self.scenario, file: file), folder)
    }

    @Test func aScenarioIsValidated() async throws {
        try await withScenario { scenario, _ in
            try StatementCheck(EngineTargetFactory()).check(scenario)
        }
    }

    @Test func aScenarioRunsOnEachArm() async throws {
        try await withScenario { scenario, folder in
            var options = RunOptions()
            options.folder = folder
            for arm in scenario.arms {
                let run = WorkloadRun(
                    scenario: scenario,
                    arm: arm,
                    factory: EngineTargetFactory(),
                    options: options
                )
                let result = try await run.run()
                #expect((result.clients["search"]?.completed ?? 0) > 0)
                #expect(result.clients["search"]?.errorCount == 0)
            }
        }
    }
}
