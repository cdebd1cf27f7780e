import Scenarios
import Testing

struct ScenarioParsingTests {
    @Test func everyPartOfAScenarioIsDecoded() throws {
        let scenario = try Scenario.parse(yaml: Self.whole, file: "whole.yaml")
        #expect(scenario.name == "whole")
        #expect(scenario.description == "Everything once.")
        #expect(scenario.seed == 7)
        #expect(scenario.dataset == .pgbench(scale: 5))
        #expect(scenario.drain == .milliseconds(1500))
        #expect(scenario.source == Self.whole)
        #expect(scenario.file == "whole.yaml")
        #expect(scenario.measuredDuration == .seconds(30))
        #expect(
            scenario.phases == [
                Phase(name: "warm-up", duration: .seconds(5), isMeasured: false),
                Phase(name: "steady", duration: .seconds(30)),
            ]
        )
        #expect(
            scenario.arms == [
                Arm(name: "queue", kind: .queue),
                Arm(name: "queue-wal", kind: .queue, journal: .wal, synchronous: "full"),
                Arm(
                    name: "pool",
                    kind: .pool,
                    readers: 4,
                    pragmas: [.init(name: "cache_size", value: "-2000")],
                    setup: ["CREATE INDEX i ON accounts (bid)", "ANALYZE"]
                ),
            ]
        )
        #expect(
            scenario.variables["aid"]
                == Variable(
                    distribution: .zipfian(theta: 1.2, scramble: true),
                    minimum: 1,
                    maximum: 500_000
                )
        )
        #expect(
            scenario.variables["note"]
                == Variable(distribution: .text(length: 12), minimum: 0, maximum: 0)
        )
        #expect(scenario.primary == ["ui.response.p99", "pay.throughput"])
        #expect(scenario.thresholds.map(\.limit) == [50e6, 0.01, 67_108_864])
        #expect(scenario.invariants == ["tpcb-sums", "snapshots-stable", "integrity-check"])
        #expect(
            scenario.dataInvariants == [
                DataInvariant(name: "some", sql: "SELECT count(*) > 0 FROM accounts")
            ]
        )
    }

    @Test func everyKindOfClientIsDecoded() throws {
        let clients = try Scenario.parse(yaml: Self.whole, file: "whole.yaml").clients
        let tpcb = try #require(Dataset.pgbench(scale: 5).transactions["tpcb"])

        var ui = Client(
            name: "ui",
            activity: .operations(
                .read,
                mix: [
                    Operation(
                        name: "balance",
                        weight: 9,
                        statements: ["SELECT abalance FROM accounts WHERE aid = :aid"]
                    ),
                    Operation(name: "top-100", weight: 1, statements: ["SELECT 1", "SELECT 2"]),
                ]
            )
        )
        ui.workers = 4
        ui.pace = .open(Arrival(rate: 200, skipAfter: .milliseconds(250)))
        var pay = Client(
            name: "pay",
            activity: .operations(.write, mix: [Operation(name: "tpcb", statements: tpcb)])
        )
        pay.workers = 2
        pay.pace = .closed(think: .milliseconds(5))
        pay.busyRetries = 3
        var report = Client(name: "report", activity: .hold(.share(0.3), sql: nil))
        report.pace = .every(.share(0.5))
        var snapshot = Client(
            name: "snapshot",
            activity: .snapshot(.share(0.6), sql: "SELECT 3")
        )
        snapshot.pace = .at(.share(0.15))
        var load = Client(
            name: "import",
            activity: .importRows(
                count: 50000,
                batch: 1000,
                statement: "INSERT INTO history (filler) VALUES (:note)"
            )
        )
        load.pace = .at(.share(0.4))
        var cancel = Client(name: "cancel", activity: .interrupt)
        cancel.pace = .every(.absolute(.seconds(7)))

        #expect(clients == [ui, pay, report, snapshot, load, cancel])
    }

    @Test func omittedKeysHaveDefaults() throws {
        let scenario = try Scenario.parse(
            yaml: """
                version: 1
                name: small
                dataset: {preset: ycsb}
                arms: {pool: {type: pool}}
                phases: [{name: all, duration: 1s}]
                clients:
                  load: {access: write, rows: 10}
                  read: {access: read, sql: "SELECT 1"}
                """,
            file: "small.yaml"
        )
        #expect(scenario.seed == 42)
        #expect(scenario.drain == .seconds(2))
        #expect(scenario.dataset == .ycsb(records: 1000))
        #expect(scenario.arms[0].readers == nil)
        let insert = try #require(scenario.dataset.importStatement)
        #expect(
            scenario.clients[0].activity == .importRows(count: 10, batch: 10, statement: insert)
        )
        #expect(scenario.clients[1].pace == .closed(think: .zero))
        #expect(scenario.clients[1].workers == 1)
        #expect(
            scenario.allVariables.keys.sorted() == ["field", "key", "new_key", "scan", "value"]
        )
    }

    @Test func aVariableWithoutARangeUsesTheBuiltInOne() throws {
        let yaml = """
            version: 1
            name: small
            dataset: {preset: pgbench, scale: 2}
            arms: {pool: {type: pool}}
            phases: [{name: all, duration: 1s}]
            variables: {aid: {distribution: zipfian}}
            clients: {read: {access: read, use: select-only}}
            """
        let scenario = try Scenario.parse(yaml: yaml, file: "small.yaml")
        #expect(scenario.variables["aid"]?.maximum == 200_000)
        #expect(try scenario.with(scale: 3).variables["aid"]?.maximum == 300_000)
    }

    @Test func sqlDatasetsAreSplitIntoStatements() throws {
        let scenario = try Scenario.parse(
            yaml: """
                version: 1
                name: own
                dataset:
                  sql:
                    - CREATE TABLE t (a); INSERT INTO t VALUES (1)
                    - CREATE INDEX i ON t (a)
                arms: {q: {type: queue}}
                phases: [{name: all, duration: 1s}]
                clients: {read: {access: read, sql: SELECT a FROM t}}
                """,
            file: "own.yaml"
        )
        #expect(
            scenario.dataset
                == .sql([
                    "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "CREATE INDEX i ON t (a)",
                ])
        )
    }

    static let whole = """
        version: 1
        name: whole
        description: Everything once.
        seed: 7
        dataset: {preset: pgbench, scale: 5}
        arms:
          queue:     {type: queue}
          queue-wal: {type: queue, journal: wal, synchronous: full}
          pool:
            type: pool
            readers: 4
            pragmas: {cache_size: -2000}
            setup: ["CREATE INDEX i ON accounts (bid)", ANALYZE]
        phases:
          - {name: warm-up, duration: 5s, measure: false}
          - {name: steady, duration: 30s}
        drain: 1500ms
        variables:
          aid:   {distribution: zipfian, theta: 1.2, scramble: true, min: 1, max: 500000}
          delta: {distribution: uniform, min: -5000, max: 5000}
          note:  {distribution: text, length: 12}
        transactions:
          top-100: [SELECT 1, SELECT 2]
        clients:
          ui:
            access: read
            workers: 4
            arrival: {rate: 200/s, process: poisson, skip-after: 250ms}
            mix:
              - {name: balance, weight: 9, sql: "SELECT abalance FROM accounts WHERE aid = :aid"}
              - {weight: 1, use: top-100}
          pay:      {access: write, workers: 2, think: 5ms, use: tpcb, retry: {busy: 3}}
          report:   {access: read, hold: 30%, every: 50%}
          snapshot: {access: snapshot, hold: 60%, at: 15%, sql: SELECT 3}
          import:
            access: write
            at: 40%
            rows: 50000
            batch: 1000
            sql: INSERT INTO history (filler) VALUES (:note)
          cancel: {action: interrupt, every: 7s}
        primary: [ui.response.p99, pay.throughput]
        thresholds:
          ui.response: ["p(99) < 50ms"]
          ui.skipped:  ["rate < 0.01"]
          wal.bytes:   max < 64MiB
        invariants:
          - tpcb-sums
          - snapshots-stable
          - integrity-check
          - {name: some, sql: SELECT count(*) > 0 FROM accounts}
        """
}
