import EngineTarget
import Foundation
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

/// Tests runs of scenarios on the engine and on bare libsqlite3.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct ScenarioRunTests {
    /// Runs one arm of a scenario and reads the resulting database.
    private func run(
        _ yaml: String,
        arm name: String,
        _ steer: @escaping @Sendable (Sample) -> Void = { _ in },
        reading: (URL) throws -> Void = { _ in }
    ) async throws -> ArmResult {
        let scenario = try Scenario.parse(yaml: yaml, file: "test.yaml")
        let arm = try #require(scenario.arms.first { $0.name == name })
        let folder = Lock<URL?>(nil)
        var options = RunOptions()
        options.keepsFolder = true
        options.onKeptFolder = { kept in folder.withLock { $0 = kept } }
        options.onSample = steer
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: EngineTargetFactory(),
            options: options
        )
        let result = try await run.run()
        let kept = try #require(folder.withLock { $0 })
        defer { try? FileManager.default.removeItem(at: kept) }
        try reading(kept.appendingPathComponent("database.sqlite"))
        return result
    }

    @Test(arguments: ["raw", "engine"])
    func aReportContainsTheFirstMessageOfAnError(library: String) async throws {
        let arm = "{a: {library: \(library), type: pool}}"
        let client = "  add: {access: write, think: 5ms, sql: INSERT INTO t VALUES (1)}"
        let yaml = head(arm, schema: "CREATE TABLE t (id PRIMARY KEY)") + "\nclients:\n" + client
        let result = try await run(yaml, arm: "a")
        let found = try #require(result.clients["add"])
        let message = try #require(found.errorMessages?["SQLITE_CONSTRAINT_PRIMARYKEY"])
        #expect(message.contains("UNIQUE constraint failed: t.id"))
        #expect(found.errorMessages?.count == 1 && found.errors.count == 1)
    }

    private func rows(_ sql: String, in file: URL) throws -> [[WorkloadValue]] {
        let target = try EngineTargetFactory()
            .open(Arm(name: "check", kind: .queue), at: file.path)
        var rows: [[WorkloadValue]] = []
        try target.perform(.read, as: WorkloadClientName("check")) {
            rows = try $0.rows(sql, [])
        }
        try target.close()
        return rows
    }

    /// Returns the first lines that all scenarios in these tests share.
    private func head(
        _ arms: String,
        schema: String,
        lasting duration: String = "600ms"
    ) -> String {
        """
        version: 1
        name: test
        dataset:
          schema:
        \(schema.split(separator: "\n").map { "    - \"\($0)\"" }.joined(separator: "\n"))
        arms: \(arms)
        phases: [{name: steady, duration: \(duration)}]
        drain: 2s

        """
    }

    private static let numbers =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"

    /// Arms without syncs, because one sync may take longer than a run.
    private static let arms = """
        {pool: {type: pool, readers: 2, synchronous: "off"}, queue: {type: queue, synchronous: "off"},
          memory: {type: memory}, raw: {library: raw, synchronous: "off"},
          snapshot: {type: snapshot}, frozen: {type: snapshot-pool}}
        """

    private func bank(_ clients: String, lasting duration: String = "600ms") -> String {
        head(
            Self.arms,
            schema: """
                CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)
                INSERT INTO account \(Self.numbers) SELECT i, 100 FROM n WHERE i <= 50
                CREATE TABLE refusal (id INTEGER PRIMARY KEY)
                """,
            lasting: duration
        ) + """
            variables:
              from: {distribution: uniform, min: 1, max: 50}
              to: {distribution: uniform, min: 1, max: 50}
              amount: {distribution: uniform, min: 1, max: 150}
            transactions:
              transfer:
                - {sql: "SELECT balance FROM account WHERE id = :from", into: balance}
                - if: ":balance >= :amount"
                  do:
                    - "UPDATE account SET balance = balance - :amount WHERE id = :from"
                    - "UPDATE account SET balance = balance + :amount WHERE id = :to"
                  else: "INSERT INTO refusal DEFAULT VALUES"
            clients:
            \(clients)
            """
    }

    @Test(arguments: ["pool", "queue", "raw"])
    func transfersNeedSufficientFunds(arm: String) async throws {
        // The transfers are frequent enough for conflicts.
        let yaml = bank(
            """
              pay:
                access: write
                workers: 2
                arrival: {rate: 1000/s, process: poisson}
                use: transfer
                retry: {busy: 100}
            """
        )
        let result = try await run(yaml, arm: arm) { _ in
        } reading: { file in
            let sums = try rows("SELECT sum(balance), min(balance) FROM account", in: file)
            #expect(sums.first?.first == .integer(5000))
            if case .integer(let least) = sums.first?.last { #expect(least >= 0) }
            let refused = try rows("SELECT count(*) FROM refusal", in: file)
            #expect(refused != [[.integer(0)]], "some transfers must be refused")
        }
        let pay = try #require(result.clients["pay"])
        #expect(pay.completed > 20)
        #expect(pay.errors.isEmpty)
        #expect(pay.isBalanced)
    }

    @Test func anInMemoryArmReadsAndWritesItsCopy() async throws {
        let yaml = bank(
            "  pay: {access: write, arrival: {rate: 200/s, process: even}, use: transfer}"
        )
        let result = try await run(yaml, arm: "memory") { _ in
        } reading: { file in
            let balances = try rows("SELECT DISTINCT balance FROM account", in: file)
            #expect(balances == [[.integer(100)]])
        }
        #expect(try #require(result.clients["pay"]).completed > 20)
        #expect(result.environment["journal_mode"] == "memory")
    }

    @Test(arguments: ["snapshot", "frozen"])
    func aSnapshotArmReadsAndReportsItsSkippedWriters(arm: String) async throws {
        let yaml = bank(
            """
              pay: {access: write, use: transfer}
              look:
                access: read
                workers: 2
                arrival: {rate: 200/s, process: even}
                sql: "SELECT sum(balance) FROM account"
            """
        )
        let result = try await run(yaml, arm: arm)
        #expect(try #require(result.clients["look"]).completed > 20)
        #expect(result.unsupported == ["pay": "this arm has no write accesses"])
    }

    @Test func aRepetitionDrawsNewValuesAndAMixReadsAndWrites() async throws {
        let yaml =
            head(
                "{pool: {type: pool}}",
                schema: "CREATE TABLE seen (id INTEGER PRIMARY KEY, batch INTEGER, value INTEGER)"
            ) + """
                variables:
                  value: {distribution: uniform, min: 1, max: 1000000}
                clients:
                  app:
                    access: read
                    arrival: {rate: 200/s, process: even}
                    mix:
                      - {name: look, weight: 1, sql: "SELECT count(*) FROM seen"}
                      - name: fill
                        weight: 1
                        access: write
                        sql:
                          - {sql: "SELECT coalesce(max(batch), 0) + 1 FROM seen", into: batch}
                          - {repeat: 10, sql: "INSERT INTO seen (batch, value) VALUES (:batch, :value)"}
                """
        var filled: Int64 = -1
        let result = try await run(yaml, arm: "pool") { _ in
        } reading: { file in
            let batches = try rows(
                "SELECT batch, count(*), count(DISTINCT value) FROM seen GROUP BY batch",
                in: file
            )
            filled = Int64(batches.count)
            #expect(batches.allSatisfy { $0[1] == .integer(10) }, "a fetched value stays fixed")
            #expect(batches.contains { $0[2] == .integer(10) }, "a drawn value must change")
        }
        let app = try #require(result.clients["app"])
        #expect(app.operations?["fill"]?.completed == UInt64(filled))
        #expect(try #require(app.operations?["look"]).completed > 20)
    }

    @Test(arguments: ["passive", "full", "restart", "truncate"])
    func checkpointsReportTheirProgress(mode: String) async throws {
        let yaml = bank(
            """
              pay: {access: write, think: 1ms, use: transfer}
              tidy: {action: checkpoint, mode: \(mode), every: 20%}
            """
        )
        let result = try await run(yaml, arm: "pool")
        let tidy = try #require(result.clients["tidy"])
        #expect(tidy.completed == 4)
        let checkpoints = try #require(tidy.checkpoints)
        #expect(checkpoints.count == 4)
        #expect(checkpoints.copied <= checkpoints.frames)
        if mode == "truncate", checkpoints.blocked == 0 { #expect(checkpoints.frames == 0) }
        let queue = try await run(yaml, arm: "queue")
        #expect(queue.unsupported == ["tidy": "this arm has no write-ahead log"])
    }

    @Test(arguments: ["pool", "raw"])
    func aBackupRunsDuringWrites(arm: String) async throws {
        let yaml = bank(
            """
              pay: {access: write, think: 5ms, use: transfer}
              save: {action: backup, pages: 2, at: 30%}
            """
        )
        let result = try await run(yaml, arm: arm)
        let save = try #require(result.clients["save"])
        #expect(save.completed == 1)
        #expect(try #require(save.backupBytes) > 4096)
    }

    @Test(arguments: ["pool", "queue"])
    func eachWriteIsReadConcurrentlyWithTheNextWrite(arm: String) async throws {
        let yaml = bank(
            """
              pay:
                access: write
                workers: 2
                arrival: {rate: 1000/s, process: poisson}
                use: transfer
                then-read: "SELECT sum(balance) FROM account"
            """
        )
        let result = try await run(yaml, arm: arm)
        let pay = try #require(result.clients["pay"])
        #expect(pay.completed > 0)
        #expect(pay.errors.isEmpty)
        // Only the reads after the writes use readers.
        if arm == "pool" { #expect(try #require(result.pool?.readersPeak) >= 1) }
    }

    @Test func anArmWithoutConcurrentReadsReportsThis() async throws {
        let yaml = bank(
            """
              pay: {access: write, use: transfer, then-read: "SELECT sum(balance) FROM account"}
              list: {access: read, think: 10ms, sql: "SELECT count(*) FROM account"}
            """
        )
        let result = try await run(yaml, arm: "raw")
        #expect(result.unsupported?["pay"] == "this arm does not support concurrent reads")
    }

    @Test func aFailedReadAfterAWriteFailsTheAccess() async throws {
        let yaml = bank(
            """
              pay:
                access: write
                arrival: {rate: 200/s, process: even}
                use: transfer
                then-read: "SELECT abs(-9223372036854775807 - 1)"
            """
        )
        let result = try await run(yaml, arm: "pool")
        let pay = try #require(result.clients["pay"])
        #expect(pay.completed == 0)
        #expect(try #require(pay.errors["SQLITE_ERROR"]) > 0)
    }

    /// A read that runs until it is interrupted.
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT count(*) FROM n WHERE i < 0
        """

    @Test(arguments: ["pool", "raw"])
    func eachSearchInterruptsThePreviousSearch(arm: String) async throws {
        let yaml = bank(
            """
              search:
                access: read
                workers: 2
                arrival: {rate: 20/s, process: even}
                supersede: true
                interrupt-after: 200ms
                sql: "\(Self.endless)"
            """
        )
        let result = try await run(yaml, arm: arm)
        let search = try #require(result.clients["search"])
        #expect(search.offered == 11)
        #expect(search.interrupted >= 10)
        #expect(search.isBalanced)
        let interrupts = try #require(search.interrupts)
        #expect(interrupts.delivered >= 10)
        #expect(interrupts.latency?.count == interrupts.delivered)
    }

    @Test func anAccessIsInterruptedAfterItsTimeLimit() async throws {
        let yaml = bank(
            """
              slow:
                access: read
                arrival: {rate: 10/s, process: even}
                interrupt-after: 50ms
                sql: "\(Self.endless)"
              fast: {access: read, think: 1ms, sql: "SELECT count(*) FROM account"}
            """
        )
        let result = try await run(yaml, arm: "pool")
        let slow = try #require(result.clients["slow"])
        #expect(slow.interrupted == 5)
        #expect(slow.completed == 0)
        #expect(result.clients["fast"]?.interrupted == 0, "no other access must be interrupted")
    }

    @Test func aClientCanInterruptOnlyOneOtherClient() async throws {
        let yaml = bank(
            """
              slow: {access: read, sql: "\(Self.endless)"}
              other: {access: read, think: 1ms, sql: "SELECT count(*) FROM account"}
              cancel: {action: interrupt, client: slow, every: 20%}
            """,
            // The run is long enough for interrupts to occur even on a stalled machine.
            lasting: "3s"
        )
        let result = try await run(yaml, arm: "pool")
        let slow = try #require(result.clients["slow"])
        let interrupts = try #require(slow.interrupts)
        // On a busy machine, several interrupts may arrive during one access. ClientInterruptsTests
        // checks the exact numbers.
        #expect((1...4).contains(interrupts.delivered))
        #expect(slow.interrupted == interrupts.delivered)
        #expect(slow.completed == 0)
        #expect(result.clients["cancel"]?.completed == 4)
        #expect(result.clients["other"]?.interrupted == 0)
    }
}
