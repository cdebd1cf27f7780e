import Foundation
import TestSupport
import Testing

/// Tests `poolgauge compare --against` with real programs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CompareAgainstTests {
    private static let scenario = """
        version: 1
        name: sums
        dataset:
          schema: |
            CREATE TABLE item(id INTEGER PRIMARY KEY, value INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
              INSERT INTO item SELECT i, i * 7 % 1000 FROM n;
        arms:
          queue: {type: queue}
          pool: {type: pool, readers: 2}
        phases: [{name: steady, duration: 1s}]
        drain: 200ms
        variables: {id: {distribution: uniform, min: 1, max: 8000}}
        clients:
          read: {access: read, sql: "SELECT sum(value) FROM item WHERE id BETWEEN :id AND :id + 2000"}
        """

    private func compare(
        _ arguments: [String],
        in folder: URL,
        sending signal: (number: Int32, after: String)? = nil
    ) throws -> HeadlessProgram.Outcome {
        let file = folder.appendingPathComponent("sums.yaml")
        try Self.scenario.write(to: file, atomically: true, encoding: .utf8)
        return try HeadlessProgram.run(
            ["compare", "sums.yaml", "--primary", "read.response.p50"] + arguments,
            in: folder,
            sending: signal
        )
    }

    private func script(_ name: String, _ body: String, in folder: URL) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        return file.path
    }

    /// On a busy machine, the verdict may be inconclusive or the runs may be invalid, but the verdict
    /// must not be a difference.
    @Test func aProgramDoesNotDifferFromItself() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(
                [
                    "--against", Program.path, "--arm", "pool", "--duration", "100ms", "--blocks",
                    "6",
                ],
                in: folder
            )
            #expect(outcome.status == 0 || outcome.status == 5, "\(outcome)")
            let answer = "this: these blocks show no difference from baseline"
            #expect(outcome.status == 5 || outcome.output.contains(answer), "\(outcome)")
            #expect(outcome.output.contains("this and baseline") == false)
            #expect(outcome.output.contains("are the same program"), "\(outcome)")
            #expect(contents(of: folder) == ["sums.yaml"])
        }
    }

    /// The wrapper represents an earlier version that read fewer rows.
    @Test func aSlowerProgramIsARegression() throws {
        try withTemporaryFolder { folder in
            let old = try script(
                "old",
                "sed -i 's/:id + 2000/:id + 400/' \"$2\"; exec '\(Program.path)' \"$@\"",
                in: folder
            )
            let outcome = try compare(
                [
                    "--against", old, "--against-name", "v1", "--arm", "pool", "--duration",
                    "100ms", "--blocks", "8", "--fail-if", "read.response.p50 > 1.2x",
                ],
                in: folder
            )
            #expect(outcome.status == 2, "\(outcome)")
            #expect(outcome.output.contains("this: read p50 "), "\(outcome)")
            #expect(outcome.output.contains("than v1."), "\(outcome)")
            #expect(outcome.output.contains("v1: \(old) (poolgauge "), "\(outcome)")
        }
    }

    @Test func twoBuildsWithACustomTargetAreCompared() throws {
        try withTemporaryFolder { folder in
            let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
                .appendingPathComponent("OwnTarget").path
            let slow = try script("slow", "SLOWDOWN=4 exec '\(program)' \"$@\"", in: folder)
            let outcome = try compare(
                [
                    "--binary", slow, "--against", program, "--arm", "pool", "--duration", "200ms",
                    "--blocks", "8", "--fail-if", "read.response.p50 > 1.2x",
                ],
                in: folder
            )
            #expect(outcome.status == 2, "\(outcome)")
            #expect(outcome.output.contains("this: \(slow) (store 1.2)"), "\(outcome)")
        }
    }

    @Test func anInterruptEndsTheProgramsAndReportsTheCompletedBlocks() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(
                [
                    "--against", Program.path, "--arm", "pool", "--duration", "100ms", "--progress",
                    "always",
                ],
                in: folder,
                sending: (SIGINT, after: "block 3 of 10")
            )
            #expect(outcome.status == 130, "\(outcome)")
            #expect(outcome.output.hasPrefix("PARTIAL  stopped after "), "\(outcome)")
            #expect(contents(of: folder) == ["sums.yaml"])
        }
    }

    private static let mistakes: [([String], String)] = [
        (["--against", "none/poolgauge", "--arm", "pool"], "there is no file 'none/poolgauge'"),
        (["--against", "sums.yaml", "--arm", "pool"], "is not executable"),
        (["--against", "/bin/ls"], "choose one with --arm: queue, pool"),
        (["--against", "/bin/ls", "--arm", "pol"], "did you mean 'pool'?"),
        (["--against", "/bin/ls", "--arms", "queue,pool"], "choose the arm with --arm"),
        (["--against", "/bin/ls", "--arm", "pool", "--in-place"], "--in-place works only with"),
        (["--against", "/bin/ls", "--against-name", "a b"], "must contain only letters"),
        (["--against", "/bin/ls", "--against-name", "this"], "reserved for the program"),
        (["--arm", "pool"], "--arm requires --against"),
        (["--binary", "/bin/ls"], "--binary requires --against"),
        (
            ["--against", "/bin/ls", "--binary", "/bin", "--arm", "pool"],
            "--binary: '/bin' is a folder"
        ),
    ]

    @Test(arguments: mistakes)
    func mistakesAreReportedBeforeTheFirstRun(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test func aProgramOtherThanPoolgaugeIsRejected() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(["--against", "/bin/ls", "--arm", "pool"], in: folder)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(
                outcome.errors.contains("'baseline' (/bin/ls) ended with status 2"),
                "\(outcome)"
            )
            #expect(outcome.errors.contains("A program must accept 'run SCENARIO"), "\(outcome)")
        }
    }
}
