import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests programs that fail, hang, or are not poolgauge.
@Suite(.timeLimit(.minutes(2)))
struct ProgramFailureTests {
    /// A program that fails, and the expected part of the error message.
    struct FailingProgram: Sendable, CustomStringConvertible {
        var script: String
        var message: String
        var code = RunError.Code.program
        var description: String { script }
    }

    private static let failingPrograms = [
        FailingProgram(
            script: "echo \"error in $2: unknown key 'x'\" >&2; exit 64",
            message: "ended with status 64 and printed no result; its error output is: error in "
                + "pretend.yaml: unknown key 'x'",
            code: .scenario
        ),
        FailingProgram(
            script: "echo no disk >&2; exit 3",
            message: "status 3 and printed no result; its error output is: no disk"
        ),
        FailingProgram(script: "kill -SEGV $$", message: "crashed: signal 11"),
        FailingProgram(script: "exit 0", message: "did not produce a result: its output is empty"),
        FailingProgram(
            script: "echo hello",
            message: "did not produce a result: its output begins with 'hello'"
        ),
        FailingProgram(
            script: "echo '{\"schema\": \"poolgauge.run/9\"}'",
            message: "the format is 'poolgauge.run/9', expected 'poolgauge.run/2'"
        ),
        FailingProgram(
            script: "echo '{\"schema\": \"poolgauge.run/1\"}'",
            message: "is missing at the top level; its version may be too old or too new"
        ),
        FailingProgram(script: "yes poolgauge", message: "wrote too much output and was killed"),
        FailingProgram(
            script: "echo x >> \"$8\"; echo",
            message: "changed the file passed with --database"
        ),
        FailingProgram(
            script: "echo '# new build' >> \"$0\"; cat good.json",
            message: "changed during"
        ),
    ]

    @Test(arguments: failingPrograms)
    func aProgramWithoutAResultEndsTheComparison(failing: FailingProgram) async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        _ = try fakes.program("good")
        let script = failing.script.replacing("good.json", with: fakes.path("good.json"))
        let comparison = try fakes.comparison(
            fakes.script("baseline", script),
            fakes.program("this")
        )
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.code == failing.code)
        #expect(
            error?.description.contains(failing.message) == true,
            "\(String(describing: error))"
        )
        #expect(error?.description.contains("baseline.sh") == true)
    }

    /// A change to the result of a run, and the expected part of the error message.
    struct UnusableResult: Sendable, CustomStringConvertible {
        var description: String
        var change: @Sendable (inout ArmResult) -> Void
    }

    private static let unusableResults = [
        UnusableResult(description: "did not produce a result for arm 'pool'") { $0.arm = "queue" },
        UnusableResult(description: "was interrupted") { $0.partial = true },
        UnusableResult(description: "reports no distribution ('spectra') for read") {
            $0.clients["read"]?.skipped = 5
        },
    ]

    @Test(arguments: unusableResults)
    func anUnusableResultEndsTheComparison(unusable: UnusableResult) async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let comparison = try fakes.comparison(
            fakes.program("baseline", unusable.change),
            fakes.program("this")
        )
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.description.contains(unusable.description) == true)
    }

    @Test func aHangingProgramIsKilledWithItsDescendants() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let comparison = try fakes.comparison(
            fakes.script("baseline", "sleep 1000 & echo $! > '\(fakes.path("child"))'; wait"),
            fakes.program("this"),
            extraTime: .milliseconds(500)
        )
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.description.contains("did not end within") == true)
        try expectNoProcess(fakes)
    }

    @Test func aStoppedComparisonKeepsItsCompletedBlocks() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let handle = Lock<ComparisonRun?>(nil)
        // In the third block and later, the program under test never ends.
        let sleepCommand = """
            [ $(wc -l < '\(fakes.path("this.log"))') -lt 3 ] || {
              sleep 1000 & echo $! > '\(fakes.path("child"))'; wait; }
            """
        let comparison = try fakes.comparison(
            fakes.program("baseline"),
            fakes.program("this", setupCommand: sleepCommand)
        )
        handle.withLock { $0 = comparison }
        let stopper = Thread {
            while fakes.text("child").isEmpty { usleep(5_000) }
            handle.withLock { $0 }?.stop()
        }
        stopper.start()
        let result = try await comparison.run()
        #expect(result.partial)
        #expect(result.blocks == 2)
        #expect(result.exitStatus == .interrupted)
        #expect(result.pair("read.throughput", of: "this", against: "baseline")?.blocks == 2)
        try expectNoProcess(fakes)
    }

    /// Expects that the descendant process with the identifier in the file `child` has ended.
    private func expectNoProcess(_ fakes: FakePrograms) throws {
        let text = fakes.text("child").trimmingCharacters(in: .whitespacesAndNewlines)
        let child = try #require(pid_t(text))
        // A killed orphan remains a zombie until its adoptive parent reaps it.
        let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
        let hasEnded = kill(child, 0) != 0 || state.contains(") Z")
        #expect(hasEnded, "\(state)")
    }

    #if os(Linux)
    /// A program must not inherit the signal mask of a Dispatch thread, which blocks most signals.
    ///
    /// If the program inherited the mask, it could not remove its files after
    /// ``ProgramProcess/stop()``.
    @Test func aProgramBlocksNoSignals() throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let program = ProgramProcess(
            "/bin/grep",
            ["SigBlk", "/proc/self/status"],
            environment: [:],
            in: fakes.folder,
            limit: .seconds(60)
        )
        let output = Lock<String?>(nil)
        let runner = Thread {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let data = (try? program.run())?.output ?? Data()
            output.withLock { $0 = String(decoding: data, as: UTF8.self) }
        }
        runner.start()
        while output.withLock({ $0 }) == nil { usleep(5_000) }
        #expect(output.withLock { $0 } == "SigBlk:\t0000000000000000\n")
    }
    #endif

    @Test func onlyAnExecutableFileIsAProgram() throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        try Data().write(to: URL(fileURLWithPath: fakes.path("plain")))
        func problem(_ name: String, _ folders: String = "") -> String {
            do { return "found: \(try ComparedProgram.locate(name, searching: folders))" } catch {
                return error.description
            }
        }
        #expect(problem(fakes.path("none")).contains("there is no file"))
        #expect(problem(fakes.path("plain")).contains("is not executable"))
        #expect(problem(fakes.folder.path).contains("is a folder"))
        #expect(problem("surely-not-a-program", "/bin").contains("no program with this name"))
        #expect(problem("sh", "/nowhere:/bin") == "found: /bin/sh")
    }

    @Test func aFileThatTheSystemCannotExecuteIsReported() async throws {
        let fakes = try FakePrograms()
        defer { fakes.remove() }
        let program = try fakes.script("baseline", "")
        try Data([0x7F, 0x45, 0x4C, 0x46]).write(to: URL(fileURLWithPath: program.path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: program.path
        )
        let comparison = try fakes.comparison(program, fakes.program("this"))
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.description.contains("cannot be started") == true)
        #expect(error?.code == .scenario)
    }
}
