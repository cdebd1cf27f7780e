import Foundation
import TestSupport
import Testing

/// Tests the exit statuses of the real command.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ExitStatusTests {
    /// Returns a scenario that uses one small table.
    private func scenario(
        clients: String,
        arms: String = "pool: {type: pool, readers: 2}",
        additionalKeys: String = ""
    ) -> String {
        """
        version: 1
        name: mine
        dataset: {sql: ["CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)",
          "INSERT INTO item VALUES (1, 1), (2, 2), (3, 3)"]}
        arms: {\(arms)}
        phases: [{name: steady, duration: 500ms}]
        drain: 1s
        clients:
          \(clients)
        \(additionalKeys)
        """
    }

    private func run(
        _ yaml: String,
        _ arguments: [String] = []
    ) throws -> HeadlessProgram.Outcome {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("mine.yaml")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(["run", "mine.yaml"] + arguments, in: folder)
            #expect(contents(of: folder) == ["mine.yaml"], "temporary files are removed")
            return outcome
        }
    }

    private let reader = "ui: {access: read, think: 1ms, sql: SELECT n FROM item WHERE id = 1}"

    /// Arrivals that are all served, even if the machine stalls.
    private let arrivals = "arrival: {rate: 100/s, process: even}"

    @Test func aPassingRunExitsWithStatus0() throws {
        let outcome = try run(scenario(clients: reader), ["--duration", "2s"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("PASSED  mine on pool"))
        #expect(outcome.output.contains("ui response *"))
    }

    @Test func aRunWithoutASuccessExitsWithStatus1() throws {
        let clients = "ui: {access: write, \(arrivals), sql: \"INSERT INTO item VALUES (1, 1)\"}"
        let outcome = try run(scenario(clients: clients))
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.hasPrefix("FAILED  mine on pool"))
        #expect(outcome.output.contains(" accesses of ui succeeded: "))
        #expect(outcome.output.contains("SQLITE_CONSTRAINT"))
        let allowed = scenario(
            clients: clients,
            additionalKeys: "thresholds: {ui.errors: [\"rate <= 100%\"]}"
        )
        #expect(try run(allowed).status == 0)
    }

    @Test func aFullDatabaseExitsWithStatus1() throws {
        let clients = """
            ui: {access: write, \(arrivals), sql: "INSERT INTO item (n) SELECT 1 FROM \
            (WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c LIMIT 2000) \
            SELECT x FROM c)"}
            """
        let outcome = try run(
            scenario(
                clients: clients,
                arms: "queue: {type: queue, pragmas: {max_page_count: 20}}"
            ),
            ["--format", "json"]
        )
        #expect(outcome.status == 1, "\(outcome)")
        let run = try firstRun(outcome)
        #expect(run["partial"] as? Bool == true)
        let failures = try #require(run["failures"] as? [String])
        #expect(failures.first?.contains("SQLITE_FULL") == true)
    }

    @Test(arguments: ["text", "json", "markdown", "html"])
    func theReportOfAFailedArmContainsTheOtherArms(format: String) throws {
        let yaml = scenario(
            clients: reader,
            arms: "first: {type: pool}, second: {type: pool, setup: SELECT n FROM missing}"
        )
        let outcome = try run(yaml, ["--format", format])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("second: the database of arm 'second' cannot be opened"))
        switch format {
        case "text":
            #expect(outcome.output.hasPrefix("FAILED  mine: second: the database"), "\(outcome)")
            #expect(outcome.output.contains("mine on first: "))
        case "json":
            #expect(try firstRun(outcome)["arm"] as? String == "first")
        default:
            #expect(outcome.output.contains("mine on first: "))
        }
    }

    @Test func aMissedThresholdExitsWithStatus3() throws {
        let outcome = try run(
            scenario(
                clients: reader.replacing("think: 1ms", with: arrivals),
                additionalKeys: "thresholds: {ui.response: [\"mean < 1ns\"]}"
            )
        )
        #expect(outcome.status == 3, "\(outcome)")
        #expect(outcome.output.contains("ui.response mean < 1ns: FAILED"))
    }

    @Test func aThresholdThatEndsTheRunExitsWithStatus3() throws {
        let yaml = scenario(
            clients: reader,
            additionalKeys: "thresholds: {ui.response: {limit: max < 1ns, abort: true}}"
        )
        let outcome = try run(yaml, ["--duration", "60s"])
        #expect(outcome.status == 3, "\(outcome)")
        #expect(outcome.output.hasPrefix("ABORTED, THRESHOLD MISSED  mine on pool: "))
        #expect(outcome.output.contains(" (aborted after "))
        #expect(outcome.output.contains(": max of ui.response was "))
        #expect(outcome.output.contains("  threshold ui.response max < 1ns: FAILED ("))
    }

    @Test func aThresholdWithTooFewSamplesExitsWithStatus6() throws {
        let yaml = scenario(
            clients: reader.replacing("think: 1ms", with: arrivals),
            additionalKeys: "thresholds: {ui.response: [\"p(99) < 50ms\"]}"
        )
        let outcome = try run(yaml)
        #expect(outcome.status == 6, "\(outcome)")
        #expect(outcome.output.hasPrefix("UNDECIDED  mine on pool"))
        #expect(outcome.output.contains("ui.response p(99) < 50ms: UNDECIDED (too few samples: "))
        // A run with the reported duration has enough samples for the threshold.
        let option = try #require(outcome.output.firstMatch(of: /--duration (\d+s)/)).1
        let decided = try run(yaml, ["--duration", String(option)])
        #expect([0, 3].contains(decided.status), "\(decided)")
    }

    @Test func aViolatedInvariantExitsWithStatus4() throws {
        // The client updates the account but not the history.
        let yaml = """
            version: 1
            name: mine
            dataset: {preset: pgbench, scale: 1}
            arms: {pool: {type: pool}}
            phases: [{name: steady, duration: 300ms}]
            clients:
              pay: {access: write, arrival: {rate: 100/s, process: even},
                sql: "UPDATE accounts SET abalance = abalance + 1 WHERE aid = 1"}
            invariants: [tpcb-sums]
            """
        let outcome = try run(yaml)
        #expect(outcome.status == 4, "\(outcome)")
        #expect(outcome.output.hasPrefix("INVARIANT VIOLATED"))
    }

    @Test func aGeneratorThatSleepsTooLongExitsWithStatus5() throws {
        // Stops the whole program while many workers sleep until their arrivals. The workers sleep
        // after the warm-up, and the stop ends long before the run does.
        let yaml = """
            version: 1
            name: mine
            dataset: {sql: ["CREATE TABLE item (id INTEGER PRIMARY KEY)"]}
            arms: {pool: {type: pool}}
            phases:
              - {name: warm-up, duration: 1s, measure: false}
              - {name: steady, duration: 3s}
            clients:
              ui: {access: read, workers: 100, arrival: {rate: 500/s}, sql: SELECT id FROM item}
            """
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("mine.yaml")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(
                ["run", "mine.yaml", "--progress", "always"],
                in: folder,
                pausing: (milliseconds: 700, after: "steady")
            )
            #expect(outcome.status == 5, "\(outcome)")
            #expect(outcome.output.hasPrefix("INVALID  mine on pool"))
            #expect(outcome.output.contains("idle workers woke late"))
        }
    }

    @Test func anInvalidScenarioExitsWithStatus64() throws {
        let outcome = try run(scenario(clients: "ui: {access: raed, sql: SELECT 1}"))
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("mine.yaml:9:"), "\(outcome)")
        #expect(outcome.errors.contains("'read'"), "\(outcome)")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aStoppedRunExitsWithTheStatusOfTheSignal(signal: Int32) throws {
        let yaml = scenario(clients: reader)
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("mine.yaml")
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let outcome = try HeadlessProgram.run(
                ["run", "mine.yaml", "--duration", "10m", "--progress", "always"],
                in: folder,
                sending: (signal, "steady")
            )
            #expect(outcome.status == 128 + signal, "\(outcome)")
            #expect(outcome.output.hasPrefix("INTERRUPTED, PARTIAL  mine on pool"))
            #expect(contents(of: folder) == ["mine.yaml"])
        }
    }

    private func firstRun(_ outcome: HeadlessProgram.Outcome) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        let root = try #require(object as? [String: Any])
        return try #require((root["runs"] as? [[String: Any]])?.first)
    }
}
