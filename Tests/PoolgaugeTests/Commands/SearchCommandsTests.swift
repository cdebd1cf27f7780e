import Foundation
import TestSupport
import Testing

/// Tests `capacity`, `crossover`, and GRDB's arms with the real program.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SearchCommandsTests {
    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aMapIsWrittenAsAnImageAndAsText() throws {
        try withTemporaryFolder { folder in
            let outcome = try HeadlessProgram.run(
                [
                    "crossover", "ycsb-b", "--scale", "1", "--sweep", "readers=1,2", "--blocks",
                    "1",
                    "--duration", "250ms", "--output", "map.svg",
                ],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("2 cells, 8 runs of 250 ms: this takes about"))
            #expect(
                outcome.output.contains(
                    "poolgauge run ycsb-b --scale 1 --arm queue --arm pool --readers 1"
                )
            )
            let file = folder.appendingPathComponent("map.svg")
            let picture = try String(contentsOf: file, encoding: .utf8)
            #expect(picture.hasPrefix("<svg "))
            for text in [picture, outcome.output] {
                #expect(text.contains("sqlite 3.") && text.contains("poolgauge "))
                #expect(text.contains("queue: journal_mode delete, synchronous full"))
            }
            #expect(contents(of: folder) == ["map.svg"])
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

    /// Runs a command from a report verbatim in a shell.
    private func runInShell(_ command: String, in folder: URL) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "poolgauge() { \"$0\" \"$@\"; }; " + command, Program.path]
        process.environment = Program.environment(temporary: folder)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test func theCommandsInAMapCanBeRun() throws {
        try withTemporaryFolder { folder in
            try write("5%", "20%", lasting: "1s", to: folder)
            let outcome = try HeadlessProgram.run(
                [
                    "crossover", "my scenario.yaml", "--sweep", "write-share=0..0.5/2", "--blocks",
                    "1", "--duration", "400ms", "--set", "clients.ui.workers=3",
                ],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let commands = outcome.output.split(separator: "\n")
                .map { String($0.drop { $0 == " " }) }.filter { $0.hasPrefix("poolgauge run") }
            #expect(commands.count == 2)
            for command in commands {
                let (status, text) = try runInShell(command, in: folder)
                #expect([0, 5].contains(status), "\(command)\n\(text)")
                #expect(text.contains("mine on queue"))
            }
        }
    }

    @Test func unsuitableTimesAreReportedWithTheOptionThatFixesThem() throws {
        try withTemporaryFolder { folder in
            try write("1500ms", "1s", to: folder)
            let arguments = [
                "crossover", "my scenario.yaml", "--sweep", "readers=1,2", "--blocks", "1",
            ]
            let refused = try HeadlessProgram.run(arguments, in: folder)
            #expect(refused.status == 64)
            let match = refused.errors.firstMatch(of: /use (--duration \d+s --within \d+m)/)
            let options = try #require(match, "\(refused.errors)").1
            let outcome = try HeadlessProgram.run(
                arguments + options.split(separator: " ").map(String.init),
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
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
            (["crossover", "ycsb-a"], "--sweep readers=1,2,4,8"),
            (
                ["crossover", "ycsb-a", "--sweep", "readers=1,2", "--output", "map.png"],
                "'map.png' must end in .txt, .md, .json, or .svg"
            ),
            (
                ["capacity", "ycsb-a", "--sweep", "foo=1,2"],
                "--sweep accepts only readers, such as readers=1,2,4,8, not 'foo'"
            ),
            (["crossover", "ycsb-a", "--sweep", "reader=1"], "did you mean 'readers'?"),
            (["crossover", "ycsb-a", "--sweep", "hold=1ms"], "no client that holds"),
            (["capacity", "ycsb-a", "--sweep", "write-share=0"], "use 'poolgauge crossover'"),
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
