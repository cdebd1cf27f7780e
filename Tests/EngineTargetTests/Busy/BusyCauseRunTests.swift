import EngineTarget
import Foundation
import Reports
import Scenarios
import Testing
import WorkloadEngine

/// Tests the cause, statement, holder, and remedy that are reported if an access finds the database
/// locked.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct BusyCauseRunTests {
    private static let increment = "UPDATE t SET n = n + 1 WHERE id = 1"

    private func run(
        arm: String,
        clients: String,
        duration: String = "1s"
    ) async throws -> ArmResult {
        let text = """
            version: 1
            name: locks
            dataset:
              schema: ["CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)", "INSERT INTO t VALUES (1, 0)"]
            arms: {a: \(arm)}
            phases: [{name: steady, duration: \(duration)}]
            clients:
            \(clients)
            """
        let scenario = try Scenario.parse(yaml: text, file: "f")
        let run = WorkloadRun(
            scenario: scenario,
            arm: scenario.arms[0],
            factory: EngineTargetFactory()
        )
        return try await run.run()
    }

    private static let upgrades = """
          app:
            access: write
            workers: 4
            sql: [SELECT n FROM t, {pause: 2ms}, "\(increment)"]
        """

    @Test(arguments: ["wal", "delete"])
    func aDeferredTransactionThatReadsFirstFailsAsAnUpgrade(journal: String) async throws {
        let result = try await run(
            arm: "{library: raw, journal: \(journal), begin: deferred, busy: {timeout: 100ms}}",
            clients: Self.upgrades
        )
        let busy = try #require(result.busy)
        let upgrades = busy.groups.filter { $0.cause == .snapshotUpgrade }
        let group = try #require(upgrades.first)
        #expect(upgrades.allSatisfy { $0.statement == Self.increment && $0.client == "app" })
        #expect(group.remedy.contains("BEGIN IMMEDIATE: `begin: immediate`"))
        #expect(group.waited == 0 && group.longestWait == 0)
        #expect(group.holders["app"] ?? 0 > 0)
        let errors = result.clients["app"]?.errors ?? [:]
        let counted = errors.filter { $0.key.hasPrefix("SQLITE_BUSY") }.values.reduce(0, +)
        #expect(busy.groups.reduce(0) { $0 + $1.count } == counted)
        #expect(
            Set(upgrades.compactMap(\.code))
                == (journal == "wal" ? ["SQLITE_BUSY_SNAPSHOT", "SQLITE_BUSY"] : ["SQLITE_BUSY"])
        )
    }

    @Test func anImmediateTransactionHasNoUpgrade() async throws {
        let result = try await run(
            arm: "{library: raw, begin: immediate, busy: {timeout: 10s, retry: fixed 1ms}}",
            clients: Self.upgrades
        )
        #expect(result.busy == nil)
        #expect(result.clients["app"]?.completed ?? 0 > 0)
        #expect(result.environment["busy"] == "timeout 10.0 s, retry fixed 1.00 ms")
    }

    private static let blocked = """
          import: {access: write, sql: ["\(increment)", {pause: 500ms}]}
          app: {access: write, think: 20ms, sql: "\(increment)"}
        """

    @Test(arguments: ["", ", retry: fixed 1ms"])
    func aTimeoutReportsTheHolderAndTheWait(retry: String) async throws {
        let result = try await run(
            arm: "{library: raw, busy: {timeout: 50ms\(retry)}}",
            clients: Self.blocked,
            duration: "2s"
        )
        let group = try #require(
            result.busy?.groups.first { $0.client == "app" && $0.cause == .timeout }
        )
        #expect(group.statement == "BEGIN IMMEDIATE")
        #expect(group.holders["import"] ?? 0 >= group.count / 2)
        let longest = try #require(group.longestWait)
        #expect(longest >= 50_000_000 && longest < 400_000_000)
        let waited = try #require(group.waited)
        #expect(waited >= group.count * 50_000_000 && waited <= group.count * longest)
        #expect(
            group.remedy
                == "raise the busy timeout above 50.0 ms, or shorten the transaction of import"
        )
        let text = TextReport.text(of: report(result))
        #expect(text.contains("SQLITE_BUSY by cause"))
        #expect(text.contains("SQLITE_BUSY in BEGIN IMMEDIATE"))
        #expect(text.contains("busy timeout 50.0 ms" + (retry.isEmpty ? "" : ", retry fixed")))
    }

    private func report(_ result: ArmResult) -> RunResult {
        let arm = Arm(name: "a", kind: .pool)
        let phases = [Phase(name: "steady", duration: .seconds(1))]
        return RunResult(
            scenario: Scenario(
                name: "locks",
                dataset: .sql([]),
                arms: [arm],
                phases: phases,
                clients: []
            ),
            environment: HostEnvironment(in: FileManager.default.temporaryDirectory),
            runs: [result]
        )
    }

    @Test func withoutATimeoutTheCauseIsTheMissingTimeout() async throws {
        let result = try await run(
            arm: "{library: raw, busy: {timeout: 0s}}",
            clients: Self.blocked
        )
        let groups = try #require(result.busy?.groups.filter { $0.client == "app" })
        // A connection that opens the log at the same time may also find that the log is being
        // recovered.
        #expect(
            groups.allSatisfy {
                [.noTimeout, .recovery].contains($0.cause) && $0.waited ?? 0 == 0
            },
            "\(groups)"
        )
        let group = try #require(
            groups.first { $0.cause == .noTimeout && $0.holders["import"] ?? 0 > 0 }
        )
        #expect(group.remedy == "set a busy timeout: `busy: {timeout: 5s}`")
    }

    @Test func retriesOfAClientAreAlsoCounted() async throws {
        let result = try await run(
            arm: "{library: raw, busy: {timeout: 0s}}",
            clients: """
                  import: {access: write, sql: ["\(Self.increment)", {pause: 20ms}]}
                  app: {access: write, think: 5ms, retry: {busy: 2}, sql: "\(Self.increment)"}
                """
        )
        let groups = try #require(result.busy?.groups.filter { $0.client == "app" })
        let app = try #require(result.clients["app"])
        #expect(app.retried > 0)
        // A connection that opens during the first recovery of the log also finds the database
        // busy.
        #expect(groups.reduce(0) { $0 + $1.retried } == app.retried)
        #expect(groups.reduce(0) { $0 + $1.count } == app.retried + app.errorCount)
    }

    @Test(arguments: ["raw", "engine"])
    func aBlockedCheckpointReportsTheReader(library: String) async throws {
        let result = try await run(
            arm: "{library: \(library), type: pool, busy: {timeout: 50ms}}",
            clients: """
                  report: {access: read, sql: [SELECT n FROM t, {pause: 300ms}]}
                  app: {access: write, think: 20ms, sql: "\(Self.increment)"}
                  clean: {action: checkpoint, mode: truncate, every: 100ms}
                """
        )
        let group = try #require(result.busy?.groups.first { $0.cause == .checkpoint })
        #expect(group.client == "clean" && group.statement == "PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(group.holders["report"] ?? 0 > 0)
        #expect(group.remedy.contains("`mode: passive`"))
        #expect(group.code == nil)
    }

    @Test func anUpgradeInTheEnginePoolFailsAfterAWriteByAnotherProgram() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-busy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("database.sqlite").path
        var arm = Arm(name: "a", kind: .pool)
        arm.begin = .deferred
        arm.busyTimeout = .milliseconds(20)
        arm.busyRetry = .fixed(.milliseconds(1))
        let pool = try EngineTargetFactory().open(arm, at: path)
        defer { try? pool.close() }
        let name = WorkloadClientName("app")
        try pool.perform(.write, as: name) { try $0.run("CREATE TABLE t (a)", []) }
        let other = try EngineTargetFactory()
            .open(Arm(name: "b", kind: .pool, library: .raw), at: path)
        defer { try? other.close() }
        var failure: (any Error)?
        try other.perform(.write, as: name) { _ in
            // The handler waits for a transaction's first lock.
            do {
                try pool.perform(.write, as: name) { try $0.run("INSERT INTO t VALUES (1)", []) }
            } catch { failure = error }
        }
        let timeout = try #require(failure.flatMap { pool.busyFailure(of: $0) })
        #expect(timeout.statement == "INSERT INTO t VALUES (1)")
        guard case .gaveUp(let waited, _) = timeout.handler else {
            Issue.record("the handler did not give up: \(timeout.handler)")
            return
        }
        #expect(waited >= 20_000_000 && waited < 5_000_000_000)
        failure = nil
        try other.perform(.write, as: name) { _ in
            do {
                try pool.perform(.write, as: name) {
                    _ = try $0.rows("SELECT * FROM t", [])
                    try $0.run("INSERT INTO t VALUES (2)", [])
                }
            } catch { failure = error }
        }
        let upgrade = try #require(failure.flatMap { pool.busyFailure(of: $0) })
        #expect(upgrade.handler == .skipped)
        #expect(upgrade.statement == "INSERT INTO t VALUES (2)")
    }
}
