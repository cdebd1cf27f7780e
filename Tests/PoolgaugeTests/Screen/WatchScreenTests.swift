#if os(Linux)
import Foundation
import TestSupport
import Testing

/// Tests `poolgauge top` on a terminal, with a database that Python programs use.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: PythonProgram.isInstalled))
struct WatchScreenTests {
    /// Calls `body` with the dashboard on a pseudo-terminal.
    private func withTop(
        _ arguments: [String] = ["app.sqlite"],
        _ changes: [String: String] = [:],
        _ body: (TerminalProgram, WatchedPrograms, URL) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let database = folder.appendingPathComponent("app.sqlite")
            let programs = try WatchedPrograms(on: database)
            var environment = Program.environment(temporary: folder)
            environment.merge(changes) { $1 }
            let paths = arguments.map {
                $0.hasSuffix(".sqlite") ? folder.appendingPathComponent($0).path : $0
            }
            let program = try TerminalProgram(
                [Program.path, "top"] + paths,
                environment: environment
            )
            try body(program, programs, folder)
        }
    }

    @Test(.enabled(if: Tmux.isInstalled), arguments: [(120, 40), (80, 24), (60, 16)])
    func theOverviewIdentifiesTheForgottenReader(width: Int, height: Int) throws {
        try withTemporaryFolder { folder in
            let database = folder.appendingPathComponent("app.sqlite")
            let programs = try WatchedPrograms(on: database)
            let tmux = Tmux(folder: folder)
            defer { tmux.end() }
            try tmux.start([Program.path, "top", database.path], width: width, height: height)
            try tmux.wait(for: "report (\(programs.reader.pid)) pins the log")
            try tmux.wait(for: "\(programs.writer.pid) worker")
            #expect(tmux.screen().contains("idle\\u{1b}[31m"))
            #expect(tmux.screen().split(separator: "\n").allSatisfy { $0.count <= width })
            // Enter shows the selected process in detail. The list may be reordered while the
            // selection moves, so the test searches in both directions.
            var steps = 0
            while !tmux.screen().contains("▶\(programs.reader.pid)") {
                tmux.type(steps / 5 % 2 == 0 ? "Down" : "Up")
                steps += 1
            }
            tmux.type("Enter")
            try tmux.wait(for: "holds reader, mark")
            tmux.type("Escape")
            tmux.type("4")
            try tmux.wait(for: "Findings")
            tmux.type("6")
            try tmux.wait(for: "1 database")
            tmux.type("Space")
            try tmux.wait(for: "FROZEN")
            tmux.type("q")
            try tmux.wait { !$0.contains("FROZEN") }
        }
    }

    @Test func keysWorkAndTheTerminalIsRestored() throws {
        try withTop { program, _, folder in
            // This verdict requires about a second of reports. Afterward, the display can step
            // back.
            try program.wait(for: ") pins the log: it has been")
            // When ^C arrives, the terminal discards pending input, so a read must never wait.
            #expect(program.awaitedBytes == 0)
            program.type("?")
            try program.wait(for: "watching continues")
            program.type("?")
            program.type("[[[")
            try program.wait(for: "AGO")
            program.type("\u{1B}")
            program.type("y")
            try program.wait(for: "\u{1B}]52;c;")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            #expect(contents(of: folder).allSatisfy { $0.hasPrefix("app.sqlite") })
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalEndsTheDashboard(signal: Int32) throws {
        try withTop { program, _, _ in
            try program.wait(for: "LIVE")
            program.send(signal)
            let end = try program.waitUntilEnd()
            #expect(end == .status(128 + signal))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
        }
    }

    @Test func rapidResizesAndKeysAreHandled() throws {
        try withTop { program, _, _ in
            try program.wait(for: "LIVE")
            var random = SeededRandom(seed: 11)
            for _ in 0..<300 {
                program.resize(
                    columns: .random(in: 1...200, using: &random),
                    rows: .random(in: 1...60, using: &random)
                )
                if let key = "? t+-n\u{1B}123456jkr[]sN\t\r".randomElement(using: &random) {
                    program.type(String(key))
                }
                if Bool.random(using: &random) {
                    let x = Int.random(in: 1...220, using: &random)
                    let y = Int.random(in: 1...70, using: &random)
                    program.type("\u{1B}[<0;\(x);\(y)M")
                }
            }
            program.resize(columns: 100, rows: 30)
            program.type("\u{1B}\u{3}")
            let end = try program.waitUntilEnd()
            #expect(end == .status(130))
            #expect(program.isRestored)
        }
    }

    @Test func noColorAndEncodingsWithoutUnicodeAreRespected() throws {
        try withTop(["app.sqlite"], ["NO_COLOR": "1"]) { program, _, _ in
            try program.wait(for: "LIVE")
            program.type("tq")
            _ = try program.waitUntilEnd()
            let text = String(decoding: program.output, as: UTF8.self)
            #expect(text.firstMatch(of: /\e\[[0-9;]*[34][0-7]m/) == nil)
            #expect(!text.contains("\u{1B}[38;5;"))
        }
        try withTop(["app.sqlite"], ["LANG": "C"]) { program, _, _ in
            try program.wait(for: "LIVE")
            program.type("q")
            _ = try program.waitUntilEnd()
            #expect(program.output.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func anUnsuitableTerminalErrorSuggestsTheHeadlessCommand() throws {
        try withTop(["app.sqlite"], ["TERM": "dumb"]) { program, _, _ in
            let end = try program.waitUntilEnd()
            #expect(end == .status(64))
            let text = String(decoding: program.output, as: UTF8.self)
            #expect(text.contains("poolgauge top --once"))
        }
    }

    @Test func theListForAFolderGrowsAndEnterOpensADatabase() throws {
        try withTop([]) { _, _, folder in
            let program = try TerminalProgram(
                [Program.path, "top", folder.path],
                environment: Program.environment(temporary: folder)
            )
            try program.wait(for: "1 database")
            let other = try PythonProgram(
                "late",
                on: folder.appendingPathComponent("late.db"),
                setup: "c.execute('CREATE TABLE t(x)')"
            )
            try program.wait(for: "2 databases")
            withExtendedLifetime(other) {}
            let start = program.output.count
            program.type("\r")
            try program.wait(for: "Processes", from: start)
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
        }
    }

    @Test func allDatabasesOnTheMachineAreListed() throws {
        try withTop([]) { program, _, _ in
            try program.wait(for: "Databases")
            try program.wait(for: "app.sqlite")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
        }
    }

    @Test func aScreenshotNeedsNoTerminal() throws {
        try withTemporaryFolder { folder in
            let programs = try WatchedPrograms(on: folder.appendingPathComponent("app.sqlite"))
            let outcome = try HeadlessProgram.run(
                [
                    "top", "app.sqlite", "--screenshot", "now.txt", "--size", "100x30",
                    "--after", "2s", "--press", "2",
                ],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let file = folder.appendingPathComponent("now.txt")
            let picture = try String(contentsOf: file, encoding: .utf8)
            #expect(picture.contains("\(programs.reader.pid) report"))
            #expect(picture.contains("2 Processes"))
            #expect(picture.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }
}
#endif
