import Foundation
import TestSupport
import Testing

/// Tests that the real program restores the pseudo-terminal, however the program ends.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TerminalRestoreTests {
    @Test
    func theQuitKeyRestoresTheTerminal() throws {
        try withDashboard { program, folder in
            try program.wait(for: "ycsb-c")
            #expect(!program.hasOriginalSettings)
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test
    func controlCRestoresTheTerminal() throws {
        try withDashboard { program, folder in
            try program.wait(for: "ycsb-c")
            program.type("\u{3}")
            let end = try program.waitUntilEnd()
            #expect(end == .status(130))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func terminationSignalsRestoreTheTerminal(signal: Int32) throws {
        try withDashboard { program, folder in
            try program.wait(for: "ycsb-c")
            program.send(signal)
            let end = try program.waitUntilEnd()
            #expect(end == .status(128 + signal))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test(arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT])
    func crashSignalsRestoreTheTerminal(signal: Int32) throws {
        try withDashboard { program, _ in
            try program.wait(for: "ycsb-c")
            program.send(signal)
            let end = try program.waitUntilEnd()
            #expect(end == .signal(signal))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
        }
    }

    @Test
    func closingTheWindowEndsTheProgramAndWritesTheReport() throws {
        try withTemporaryFolder { results in
            let file = results.appendingPathComponent("result.json")
            let report = ["--output", file.path, "--format", "json"]
            try withDashboard(arguments: report) { program, folder in
                try program.wait(for: "LIVE")
                program.hangUp()
                // The shell and the terminal may also send SIGHUP repeatedly until the program
                // ends.
                let end = try program.waitUntilEnd(sending: SIGHUP)
                #expect(end == .status(128 + SIGHUP))
                #expect(contents(of: folder).isEmpty)
            }
            let runs = try partialRuns(of: file)
            #expect(runs == [true])
        }
    }

    @Test
    func resultsBeforeASignalAreReported() throws {
        try withTemporaryFolder { results in
            let file = results.appendingPathComponent("result.json")
            let report = ["--output", file.path, "--format", "json"]
            try withDashboard(arguments: report) { program, _ in
                try program.wait(for: "LIVE")
                program.send(SIGTERM)
                let end = try program.waitUntilEnd()
                #expect(end == .status(128 + SIGTERM))
                let text = String(decoding: program.output, as: UTF8.self)
                #expect(text.contains("INTERRUPTED, PARTIAL  ycsb-c on "))
            }
            let runs = try partialRuns(of: file)
            #expect(runs == [true])
        }
    }

    /// Returns whether each run in a results file is partial.
    private func partialRuns(of file: URL) throws -> [Bool?] {
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let runs = (object as? [String: Any])?["runs"] as? [[String: Any]]
        return try #require(runs).map { $0["partial"] as? Bool }
    }

    @Test
    func stoppingRestoresTheTerminalAndContinuingRedrawsTheScreen() throws {
        try withShellThatControlsJobs { program in
            try program.wait(for: "Connections")
            program.type("\u{1A}")
            try program.wait(for: "stopped")
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            let resumed = program.output.count
            program.type("\n")
            // Wait for a redrawn panel title, because the shell itself prints the command.
            try program.wait(for: "Connections", from: resumed)
            #expect(!program.hasOriginalSettings)
            try program.wait(for: "suspended for", from: resumed)
            program.type("q")
            try program.wait(for: "ended 0", from: resumed)
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
        }
    }

    /// While ncurses writes, its own signal handler ignores the stop key.
    @Test
    func theStopKeyWorksWhileAFrameIsWritten() throws {
        // On such a large terminal without background color erase, a frame exceeds the kernel's
        // buffer. If nothing reads the output, the program blocks while it writes a frame.
        try withShellThatControlsJobs(["TERM": "screen-256color"], columns: 600, rows: 200) {
            try $0.wait(for: "ycsb-c")
            $0.type("\u{1A}")
            try $0.wait(for: "stopped")
            #expect($0.isRestored)
            #expect($0.hasOriginalSettings)
            $0.type("\n")
            try $0.wait(for: "suspended for")
            $0.type("q")
            try $0.wait(for: "ended 0")
            let end = try $0.waitUntilEnd()
            #expect(end == .status(0))
        }
    }

    /// Runs the dashboard in a shell, because the kernel stops a process only if another process
    /// can continue it.
    ///
    /// When the program stops, the shell prints `stopped`. After a line of input, the shell
    /// continues the program.
    private func withShellThatControlsJobs(
        _ changes: [String: String] = [:],
        columns: Int32 = 120,
        rows: Int32 = 40,
        _ body: (TerminalProgram) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let script = """
                set -m
                "$0" dashboard ycsb-c --scale 1
                echo stopped
                read -r line
                fg
                echo "ended $?"
                """
            let program = try TerminalProgram(
                ["/bin/bash", "-c", script, Program.path],
                environment: Program.environment(temporary: folder).merging(changes) { $1 },
                columns: columns,
                rows: rows
            )
            try body(program)
        }
    }
}
