import EngineTarget
import Foundation
import Telemetry
import Testing
import WorkloadEngine

/// Tests the `isolation` invariant on the engine and on targets with a planted bug.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct IsolationInvariantTests {
    /// Runs a small load with the invariant.
    private func run(
        _ arm: String = "pool",
        lasting duration: String,
        _ bug: PlantedBug? = nil,
        _ prepare: (inout RunOptions) -> Void = { _ in }
    ) async throws -> ArmResult {
        let yaml = """
            version: 1
            name: isolation
            dataset:
              schema:
                - "CREATE TABLE item (id INTEGER PRIMARY KEY, value INTEGER)"
                - "INSERT INTO item VALUES (1, 1), (2, 2), (3, 3)"
            arms:
              pool: {type: pool, readers: 3}
              single: {type: pool, readers: 1, synchronous: "off"}
              queue: {type: queue, synchronous: "off"}
              wal: {type: queue, journal: wal}
              memory: {type: memory}
              raw: {library: raw}
              raw-delete: {library: raw, journal: delete, synchronous: "off"}
              frozen: {type: snapshot-pool}
            phases: [{name: steady, duration: \(duration)}]
            drain: 2s
            variables: {id: {distribution: uniform, min: 1, max: 3}}
            clients:
              list: {access: read, think: 1ms, sql: "SELECT value FROM item WHERE id = :id"}
              save:
                access: write
                think: 5ms
                sql: "UPDATE item SET value = value + 1 WHERE id = :id"
            invariants: [isolation, integrity-check]
            """
        let scenario = try Scenario.parse(yaml: yaml, file: "test.yaml")
        let arm = try #require(scenario.arms.first { $0.name == arm })
        var options = RunOptions()
        prepare(&options)
        return try await WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: PlantedTarget.Factory(bug: bug),
            options: options
        ).run()
    }

    @Test(arguments: ["pool", "single", "queue", "wal", "memory", "raw", "raw-delete"])
    func everyArmPasses(arm: String) async throws {
        let result = try await run(arm, lasting: "1500ms")
        let isolation = try #require(result.invariants.first)
        #expect(isolation.passed == true, "\(isolation.detail)")
        #expect(result.invariants.last?.passed == true)
        #expect(isolation.detail.contains("writer-1, writer-2, statements, reader-1, reader-2"))
        let hasSnapshots = ["pool", "single", "raw"].contains(arm)
        #expect(isolation.detail.contains("snapshots") == hasSnapshots)
        let hasTasks = !arm.hasPrefix("raw")
        #expect(isolation.detail.contains("tasks, concurrent-reads") == hasTasks)
    }

    @Test func anArmWithoutWritesHasNothingToCheck() async throws {
        let result = try await run("frozen", lasting: "100ms")
        #expect(result.invariants.first?.passed == nil)
        #expect(result.invariants.first?.detail == "this arm has no writes")
    }

    @Test(arguments: PlantedBug.allCases)
    func aPlantedBugIsFoundWithinAMinute(bug: PlantedBug) async throws {
        let start = monotonicNanoseconds()
        // The first run normally suffices. A busy machine may need more runs.
        for duration in ["1500ms", "6s", "40s"] {
            let result = try await run(lasting: duration, bug)
            let isolation = try #require(result.invariants.first)
            guard isolation.passed == false,
                bug.expected.contains(where: isolation.detail.contains)
            else { continue }
            #expect(result.exitStatus == .invariantViolated)
            #expect(monotonicNanoseconds() - start < 60_000_000_000)
            return
        }
        Issue.record("\(bug) was not found")
    }

    @Test(arguments: ["pool", "wal"])
    func loadStatisticsExcludeTheInvariant(arm: String) async throws {
        let result = try await run(arm, lasting: "1500ms")
        #expect(result.invariants.first?.passed == true)
        let pool = try #require(result.pool)
        let list = try #require(result.clients["list"]?.started)
        let save = try #require(result.clients["save"]?.started)
        // An access may have started before the measured time.
        if arm == "pool" {
            #expect(try #require(pool.acquire).count <= list + 1)
            #expect(try #require(pool.hold).count <= list + 1)
            #expect(try #require(pool.writerAcquire).count <= save + 1)
            #expect(try #require(pool.writerHold).count <= save + 1)
        } else {
            #expect(try #require(pool.acquire).count <= list + save + 2)
            #expect(try #require(pool.hold).count <= list + save + 2)
        }
        // Each client has one worker.
        #expect(pool.waitingReadersPeak <= 1)
        #expect(pool.waitingWritersPeak <= 1)
        #expect(result.snapshots?.made == 0)
        #expect(result.snapshots?.oldestSeconds == nil)
    }

    @Test func theInvariantLeavesCountsAndTheDatabaseUnchanged() async throws {
        let folder = Lock<URL?>(nil)
        let result = try await run(lasting: "500ms") { options in
            options.keepsFolder = true
            options.onKeptFolder = { kept in folder.withLock { $0 = kept } }
        }
        let kept = try #require(folder.withLock { $0 })
        defer { try? FileManager.default.removeItem(at: kept) }
        #expect(result.clients.keys.sorted() == ["list", "save"])
        let file = kept.appendingPathComponent("database.sqlite").path
        let target = try EngineTargetFactory().open(Arm(name: "look", kind: .queue), at: file)
        defer { try? target.close() }
        var tables: [[WorkloadValue]] = []
        try target.perform(.read, as: WorkloadClientName("look")) { session in
            tables = try session.rows("SELECT name FROM sqlite_master", [])
        }
        #expect(tables == [[.text("item")]])
    }
}
