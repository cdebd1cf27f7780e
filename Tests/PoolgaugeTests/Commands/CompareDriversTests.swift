import Foundation
import TestSupport
import Testing

/// Tests `poolgauge compare` with arms in other programs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CompareDriversTests {
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
          old: {driver: {command: [OLD]}, readers: 2}
          new: {driver: {command: [NEW]}, readers: 2}
        phases: [{name: steady, duration: 1s}]
        drain: 200ms
        variables: {id: {distribution: uniform, min: 1, max: 8000}}
        clients:
          read: {access: read, sql: "SELECT sum(value) FROM item WHERE id BETWEEN :id AND :id + 2000"}
        """

    private func compare(
        _ old: [String],
        _ new: [String],
        _ arguments: [String],
        in folder: URL,
        sending signal: (number: Int32, after: String)? = nil
    ) throws -> HeadlessProgram.Outcome {
        let file = folder.appendingPathComponent("sums.yaml")
        try Self.scenario.replacing("OLD", with: old.joined(separator: ", "))
            .replacing("NEW", with: new.joined(separator: ", "))
            .write(to: file, atomically: true, encoding: .utf8)
        chmod(file.path, 0o600)
        return try HeadlessProgram.run(
            [
                "compare", "sums.yaml", "--arms", "old,new", "--primary", "read.response.p50",
            ] + arguments,
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
            let command = [Program.path, "driver"]
            let outcome = try compare(
                command,
                command,
                ["--duration", "100ms", "--blocks", "6"],
                in: folder
            )
            #expect(outcome.status == 0 || outcome.status == 5, "\(outcome)")
            let answer = "new: these blocks show no difference from old"
            #expect(outcome.status == 5 || outcome.output.contains(answer), "\(outcome)")
            #expect(contents(of: folder) == ["sums.yaml"])
        }
    }

    @Test func twoBuildsWithACustomTargetAreCompared() throws {
        try withTemporaryFolder { folder in
            let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
                .appendingPathComponent("OwnTarget").path
            let slow = try script("slow", "SLOWDOWN=4 exec '\(program)' \"$@\"", in: folder)
            let outcome = try compare(
                [program],
                [slow],
                [
                    "--duration", "200ms", "--blocks", "8", "--fail-if",
                    "read.response.p50 > 1.2x",
                ],
                in: folder
            )
            #expect(outcome.status == 2, "\(outcome)")
            #expect(outcome.output.contains("new: read p50 "), "\(outcome)")
        }
    }

    @Test func anInterruptEndsTheDriversAndReportsTheCompletedBlocks() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(
                ["/bin/cat"],
                [Program.path, "driver"],
                ["--arms", "pool,new", "--duration", "100ms", "--progress", "always"],
                in: folder,
                sending: (SIGINT, after: "block 3 of 10")
            )
            #expect(outcome.status == 130, "\(outcome)")
            #expect(outcome.output.hasPrefix("PARTIAL  stopped after "), "\(outcome)")
            #expect(contents(of: folder) == ["sums.yaml"])
        }
    }

    /// `/bin/cat` answers with the set-up.
    @Test func aProgramOtherThanADriverIsRejected() throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(["/bin/cat"], ["/bin/cat"], [], in: folder)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.errors.contains("neither \"ready\": true nor an error"), "\(outcome)")
        }
    }

    @Test(arguments: [
        (["--against", "old/x"], "command: [old/x, driver]"),
        (["--binary", "mine"], "command: [mine, driver]"), (["--arm", "pool"], "use --arms"),
    ])
    func oldSpellingsNameTheNewOnes(arguments: [String], expected: String) throws {
        try withTemporaryFolder { folder in
            let outcome = try compare(["a"], ["b"], arguments, in: folder)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test func aCommandOfASharedFileNeedsPermission() throws {
        try withTemporaryFolder { folder in
            chmod(folder.path, 0o777)
            let refused = try compare(["/bin/cat"], ["/bin/cat"], [], in: folder)
            #expect(
                refused.status == 1 && refused.errors.contains("--allow-commands"),
                "\(refused)"
            )
            let allowed = try compare(["/bin/cat"], ["/bin/cat"], ["--allow-commands"], in: folder)
            #expect(allowed.errors.contains("neither \"ready\""), "\(allowed)")
            let check = try HeadlessProgram.run(["scenarios", "validate", "sums.yaml"], in: folder)
            #expect(check.output.contains("arm 'old' runs: /bin/cat"), "\(check)")
        }
    }

    /// The other languages are tested by the part `languages` of the nightly run.
    @Test(arguments: ["python", "c"])
    func capacityWorksOnDrivers(name: String) throws {
        try withTemporaryFolder { folder in
            let yaml = Self.scenario.replacing(
                "{driver: {command: [OLD]}, readers: 2}",
                with: "{driver: \(name)}"
            )
            .replacing("{access: read,", with: "{access: read, workers: 2, arrival: {rate: 20/s},")
            try yaml.write(
                to: folder.appendingPathComponent("sums.yaml"),
                atomically: true,
                encoding: .utf8
            )
            let outcome = try HeadlessProgram.run(
                [
                    "capacity", "sums.yaml", "--arms", "old", "--p99", "200ms", "--duration",
                    "300ms",
                    "--within", "6s", "--precision", "50",
                ],
                in: folder
            )
            // A busy machine may leave the search undecided.
            #expect([0, 5, 6].contains(outcome.status), "\(outcome)")
            #expect(outcome.output.contains("old"), "\(outcome)")
        }
    }
}
