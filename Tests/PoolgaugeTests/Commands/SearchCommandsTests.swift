import Foundation
import TestSupport
import Testing

/// Tests `capacity`, `compare --sweep`, and GRDB's arms with the real program.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SearchCommandsTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aSweepStatesItsTimeAndWritesAPage() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "compare", "ycsb-b", "--scale", "1", "--sweep", "readers=1,2", "--duration",
                    "250ms", "--within", "90s", "--format", "html", "--output", "sweep.html",
                    "--progress", "always",
                ],
                in: folder
            )
            #expect([0, 5, 6].contains(outcome.status), "\(outcome)")
            #expect(outcome.errors.contains("40 runs of 250 ms in 8 blocks: this takes about"))
            #expect(outcome.errors.contains("at most 90 s (--within)"))
            let file = folder.appendingPathComponent("sweep.html")
            let page = try String(contentsOf: file, encoding: .utf8)
            #expect(page.contains("pool against queue at 2 values of readers"))
            #expect(page.contains("sqlite 3."))
            #expect(contents(of: folder) == ["sweep.html"])
        }
    }

    @Test func aValueOfTheScenarioIsSwept() throws {
        try withTemporaryFolder { folder in
            try write("5%", "20%", lasting: "1s", to: folder)
            let outcome = try HeadlessProgram.run(
                [
                    "compare", "my scenario.yaml", "--arms", "pool", "--sweep",
                    "clients.ui.think=1ms,10ms", "--duration", "250ms", "--within", "90s",
                    "--primary", "ui.throughput", "--format", "json",
                ],
                in: folder
            )
            #expect([0, 5, 6].contains(outcome.status), "\(outcome)")
            let result = try json(outcome.output)
            let pairs = try #require(result["pairs"] as? [[String: Any]])
            let pair = try #require(pairs.first)
            #expect(pair["b"] as? String == "pool, clients.ui.think 10ms")
            // A think time of 10 ms instead of 1 ms divides the throughput by nearly 10.
            #expect(try #require(pair["ratio"] as? Double) < 0.5)
        }
    }

    private let scenario = """
        version: 1
        name: mine
        dataset: {sql: ["CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)",
          "INSERT INTO item (n) VALUES (1), (2), (3)"]}
        arms: {queue: {type: queue}, pool: {type: pool}}
        phases: [{name: steady, duration: 10s}]
        drain: 1s
        clients:
          ui: {access: read, workers: 2, think: 1ms, sql: "SELECT n FROM item WHERE id = 2"}
          pay: {access: write, think: 2ms, sql: "UPDATE item SET n = n + 1 WHERE id = 2"}
          report: {access: read, every: EVERY, hold: HOLD}
        """

    private func write(
        _ hold: String,
        _ every: String,
        lasting duration: String = "10s",
        to folder: URL
    ) throws {
        try scenario.replacing("HOLD", with: hold).replacing("EVERY", with: every)
            .replacing("duration: 10s", with: "duration: \(duration)").write(
                to: folder.appendingPathComponent("my scenario.yaml"),
                atomically: true,
                encoding: .utf8
            )
    }

    @Test func unsuitableTimesAreReportedWithTheOptionThatFixesThem() throws {
        try withTemporaryFolder { folder in
            try write("1500ms", "1s", to: folder)
            let outcome = try HeadlessProgram.run(
                ["compare", "my scenario.yaml", "--sweep", "readers=1,2", "--within", "20s"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("or --within 3m"), "\(outcome.errors)")
        }
    }

    @Test func anInterruptedSearchReportsItsResults() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "capacity", "ycsb-b", "--scale", "1", "--arms", "pool", "--format", "json",
                    "--progress", "always",
                ],
                in: folder,
                sending: (SIGINT, "pool: run at")
            )
            #expect(outcome.status == 130)
            let result = try json(outcome.output)
            #expect(result["schema"] as? String == "poolgauge.capacity/1")
            #expect(result["partial"] as? Bool == true)
            let environment = try #require(result["environment"] as? [String: Any])
            let versions = try #require(environment["versions"] as? [String: String])
            #expect(versions.keys.sorted() == ["poolgauge", "sqlite"])
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(
        arguments: [
            (["crossover", "ycsb-a"], "'crossover' no longer exists; use 'poolgauge compare"),
            (
                [
                    "compare", "ycsb-a", "--sweep", "readers=1,2", "--fail-if",
                    "read.throughput < 1x",
                ],
                "--sweep cannot be combined with --fail-if"
            ),
            (
                ["compare", "ycsb-a", "--sweep", "readers=1,2", "--format", "junit"],
                "--sweep cannot be combined with --format junit"
            ),
            (["compare", "ycsb-a", "--within", "1m"], "--within requires --sweep"),
            (
                ["capacity", "ycsb-a", "--sweep", "foo=1,2"],
                "--sweep accepts only readers, such as readers=1,2,4,8, not 'foo'"
            ),
            (["compare", "ycsb-a", "--sweep", "reader=1"], "did you mean 'readers'?"),
            (["compare", "ycsb-a", "--sweep", "hold=1ms,2ms"], "no client that holds"),
            (
                ["compare", "ycsb-a", "--sweep", "clients.raed.workers=1,2"],
                "--sweep 'clients.raed.workers=1'"
            ),
            (
                ["capacity", "ycsb-a", "--sweep", "write-share=0"],
                "use 'poolgauge compare --sweep'"
            ),
            (["capacity", "ycsb-a", "--threshold", "raed.response: p(99) < 1ms"], "'read'"),
        ]
    )
    func mistakesAreReportedAndNothingRuns(arguments: [String], part: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
            #expect(contents(of: folder).isEmpty)
        }
    }

    #if !GRDB
    @Test func aGRDBArmExplainsHowToEnableGRDB() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                ["run", "ycsb-c", "--arm", "grdb-pool"],
                in: folder
            )
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("POOLGAUGE_TRAITS=GRDB ./run"))
            #expect(outcome.errors.contains("swift build -c release --traits default,GRDB"))
        }
    }
    #endif
}
