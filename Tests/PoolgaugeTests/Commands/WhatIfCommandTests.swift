import Foundation
import Testing

/// Predictions from a result that the real program wrote.
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
            arrival: {rate: 600/s, process: poisson, skip-after: 500ms}
            hold: 2ms
        """

    @Test
    func aRecordedRunIsPredictedFromAndChecked() throws {
        try withTemporaryFolder { folder in
            try Data(scenario.utf8).write(to: folder.appendingPathComponent("s.yaml"))
            let recording = try HeadlessProgram.run(
                ["run", "s.yaml", "--format", "json", "--output", "run.json"],
                in: folder
            )
            // On a machine with other work the run may be invalid: then it says so below.
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
            #expect(settings == [2, 1, 3])
            #expect(checks.compactMap { $0["runs"] as? Int } == [2, 2, 2])
            // With one reader too few may complete on a slow machine.
            let clients = checks.last?["clients"] as? [String: [String: Any]]
            let ui = try #require(clients?["ui"])
            let measured = ["least", "measured", "most"].compactMap { ui[$0] as? Double }
            #expect(measured.count == 3)
            #expect(measured == measured.sorted())
            #expect(contents(of: folder).sorted() == ["run.json", "s.yaml"])
        }
    }

    @Test
    func whatIsNoResultIsSaid() throws {
        try withTemporaryFolder { folder in
            let missing = try HeadlessProgram.run(["what-if", "none.json"], in: folder)
            #expect(missing.status == 64)
            #expect(missing.errors == "poolgauge: none.json: there is no such file\n")
        }
    }
}
