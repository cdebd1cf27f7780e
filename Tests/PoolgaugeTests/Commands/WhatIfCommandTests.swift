import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Tests predictions from a real program's result.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WhatIfCommandTests {
    private let scenario = """
        version: 1
        name: short-holds
        dataset: {preset: pgbench, scale: 1}
        arms:
          pool: {type: pool, readers: 2}
        phases:
          - {name: steady, duration: 2s}
        clients:
          ui:
            access: read
            workers: 8
            arrival: {rate: 600/s, process: poisson}
            hold: 2ms
        """

    @Test
    func aRecordedRunIsSimulatedAndChecked() throws {
        try withTemporaryFolder { folder in
            try Data(scenario.utf8).write(to: folder.appendingPathComponent("s.yaml"))
            let recording = try HeadlessProgram.run(
                ["run", "s.yaml", "--format", "json", "--output", "run.json"],
                in: folder
            )
            // On a busy machine, the run may be invalid. If so, the report states this.
            #expect([0, 5].contains(recording.status), "\(recording.errors)")
            let outcome = try HeadlessProgram.run(
                [
                    "what-if", "run.json", "--check", "--check-runs", "2", "--check-recorded",
                    "--format", "json",
                ],
                in: folder
            )
            #expect([0, 5].contains(outcome.status), "\(outcome.errors)")
            let result = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            )
            #expect(result["schema"] as? String == "poolgauge.what-if/1")
            let predictions = try #require(result["predictions"] as? [[String: Any]])
            #expect(predictions.count == 17)
            let p99 = predictions.compactMap { prediction -> Double? in
                let clients = prediction["clients"] as? [String: [String: Any]]
                return clients?["ui"]?["p99"] as? Double
            }
            #expect(p99.count == 17)
            let (most, least) = (try #require(p99.first), try #require(p99.last))
            #expect(most > least)
            let checks = try #require(result["checks"] as? [[String: Any]])
            let settings = checks.map { ($0["setting"] as? [String: Any])?["readers"] as? Int }
            #expect(settings == [1, 3])
            #expect(checks.compactMap { $0["runs"] as? Int } == [2, 2])
            let repetition = try #require(result["repetition"] as? [String: Any])
            #expect(repetition["runs"] as? Int == 2)
            // Without a 99th percentile, the repetition has no entry for `ui`.
            if let repeated = (repetition["clients"] as? [String: [String: Any]])?["ui"] {
                #expect(repeated["recorded"] as? UInt64 ?? 0 > 0)
                #expect(repeated["now"] as? UInt64 ?? 0 > 0)
                #expect(repeated["verdict"] is String)
            }
            // On a slow machine, too few accesses may complete with one reader.
            let clients = checks.last?["clients"] as? [String: [String: Any]]
            let ui = try #require(clients?["ui"])
            let measured = ["least", "measured", "most"].compactMap { ui[$0] as? Double }
            #expect(measured.count == 3)
            #expect(measured == measured.sorted())
            #expect(contents(of: folder).sorted() == ["run.json", "s.yaml"])
        }
    }

    @Test
    func aRunOnAUserDatabaseIsCheckedOnCopies() throws {
        try withTemporaryFolder { folder in
            let yaml = scenario.replacing("duration: 2s", with: "duration: 500ms")
                .replacing("{preset: pgbench, scale: 1}", with: "{schema: [CREATE TABLE t (v)]}")
                .replacing("hold: 2ms", with: "sql: SELECT count(*) FROM mine")
            try Data(yaml.utf8).write(to: folder.appendingPathComponent("s.yaml"))
            let file = folder.appendingPathComponent("mine.sqlite")
            try DatabaseQueue(path: file.path).write { db in
                try db.execute(sql: "CREATE TABLE mine (v); INSERT INTO mine VALUES (1)")
            }
            let before = try Data(contentsOf: file)
            let recording = try HeadlessProgram.run(
                [
                    "run", "s.yaml", "--database", "mine.sqlite", "--format", "json",
                    "--output", "run.json",
                ],
                in: folder
            )
            #expect([0, 5].contains(recording.status), "\(recording.errors)")
            let check = ["what-if", "run.json", "--check", "--check-runs", "1"]
            let refused = try HeadlessProgram.run(check, in: folder)
            #expect(refused.status == 64)
            #expect(refused.errors.contains("used your own database; specify it with --database"))
            let missing = try HeadlessProgram.run(check + ["--database", "none"], in: folder)
            #expect(missing.status == 64)
            #expect(
                missing.errors
                    == "poolgauge: --database: there is no file 'none'; check the path\n"
            )
            let outcome = try HeadlessProgram.run(
                check + ["--database", "mine.sqlite"],
                in: folder
            )
            #expect([0, 5].contains(outcome.status), "\(outcome.errors)")
            #expect(outcome.output.contains("\na real run with 1 reader:\n"))
            #expect(!outcome.output.contains("unreliable: no such table"))
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test
    func theDataOfTheScenarioIsNotReplaced() throws {
        try withTemporaryFolder { folder in
            let yaml = scenario.replacing("duration: 2s", with: "duration: 500ms")
            try Data(yaml.utf8).write(to: folder.appendingPathComponent("s.yaml"))
            try Data().write(to: folder.appendingPathComponent("mine.sqlite"))
            _ = try HeadlessProgram.run(
                ["run", "s.yaml", "--format", "json", "--output", "run.json"],
                in: folder
            )
            let refused = try HeadlessProgram.run(
                ["what-if", "run.json", "--check", "--database", "mine.sqlite"],
                in: folder
            )
            #expect(refused.status == 64)
            #expect(refused.errors.contains("the recorded run used the scenario's own data"))
        }
    }

    @Test
    func invalidResultsAreReported() throws {
        try withTemporaryFolder { folder in
            let missing = try HeadlessProgram.run(["what-if", "none.json"], in: folder)
            #expect(missing.status == 64)
            #expect(
                missing.errors == "poolgauge: none.json: there is no such file; check the path\n"
            )
        }
    }
}
