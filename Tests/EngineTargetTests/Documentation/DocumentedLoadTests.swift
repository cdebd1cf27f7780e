import EngineTarget
import Foundation
import SQLiteEngine
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

/// The code samples in the documentation of WorkloadEngine.
///
/// A test in SQLiteEngineTests compares the samples with the articles.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct DocumentedLoadTests {
    struct Note: Codable, FetchableRecord, PersistableRecord {
        var text: String
    }

    /// The program under test.
    final class Store: Sendable {
        let pool: DatabasePool
        private let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("poolgauge-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true
            )
            pool = try DatabasePool(path: folder.appendingPathComponent("notes.sqlite").path)
            try pool.write { try $0.execute(sql: "CREATE TABLE note (text TEXT)") }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func sync() throws { try pool.write { try Note(text: "synced").insert($0) } }
    }

    private let store: Store

    init() throws { store = try Store() }

    // sample
    @Test func theListStaysFastDuringASync() async throws {
        var load = LoadTest("sync", duration: .seconds(2))
        load.client("list", workers: 4, rate: 50) { access in
            try store.pool.read { db in
                access.enter()
                _ = try Note.fetchAll(db)
            }
        }
        load.client("sync", think: .milliseconds(20)) { _ in try store.sync() }
        load.limit("list.response", "p(50) < 100ms")
        load.limit("list.errors", "count < 1")
        let result = try await load.run()
        #expect(result.missed.isEmpty)
    }
    // end

    @Test func aLoadTestCanReportAStatusAndInterrupt() async throws {
        let store = store
        var load = LoadTest("one", duration: .milliseconds(200))
        // Serve each arrival, no matter how late it is.
        load.client("list", rate: 100) { _ in try store.pool.read { _ = try Note.fetchAll($0) } }
        // sample
        load.status = { store.pool.status() }
        // end
        // sample
        load.interrupt = { store.pool.interrupt() }
        // end
        let result = try await load.run()
        #expect(result.clients["list"]?.completed ?? 0 > 0)
    }

    @Test func aScenarioCanBeRunFromCode() async throws {
        let yaml = """
            version: 1
            name: reads
            dataset: {schema: [CREATE TABLE t (v)]}
            arms: {pool: {type: pool}}
            phases: [{name: steady, duration: 300ms}]
            clients:
              read: {access: read, workers: 2, sql: SELECT count(*) FROM t}
            """
        // sample
        let scenario = try Scenario.parse(yaml: yaml, file: "reads.yaml")
        // end
        // sample
        let preset = try Scenario.load(nameOrPath: "ycsb-c")
            .with([Scenario.Setting("clients.read.workers=4")])
            .scaled(toMeasured: .seconds(5))
        // end
        #expect(preset.clients.first { $0.name == "read" }?.workers == 4)
        let factory = EngineTargetFactory()
        let printed = Lock<[String]>([])
        func print(_ items: Any...) {
            let line = items.map { "\($0)" }.joined(separator: " ")
            printed.withLock { $0.append(line) }
        }
        // sample
        let run = WorkloadRun(scenario: scenario, arm: scenario.arms[0], factory: factory)
        let result = try await run.run()
        for (name, client) in result.clients {
            print(name, client.completed, "accesses,", client.response?.p99 ?? 0, "ns")
        }
        // end
        #expect(printed.withLock { $0.first?.hasPrefix("read ") } == true)
    }
}
