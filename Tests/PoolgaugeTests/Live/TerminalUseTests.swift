import Foundation
import TestSupport
import Testing

/// Tests the real program on a pseudo-terminal with different sizes and colors, and on unsuitable
/// terminals.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct TerminalUseTests {
    /// Uses four hundred sizes without waiting for frames.
    ///
    /// Some sizes are too small to draw anything.
    @Test
    func rapidResizesAndKeysAreHandled() throws {
        try withDashboard { program, folder in
            try program.wait(for: "ycsb-c")
            var random = SeededRandom(seed: 7)
            for _ in 0..<400 {
                program.resize(
                    columns: .random(in: 1...220, using: &random),
                    rows: .random(in: 1...70, using: &random)
                )
                if let key = "? t+-n\u{1B}ixgps1234567jkr[]".randomElement(using: &random) {
                    program.type(String(key))
                }
                if Bool.random(using: &random) {
                    let x = Int.random(in: 1...250, using: &random)
                    let y = Int.random(in: 1...80, using: &random)
                    let button = [0, 32, 64, 65].randomElement(using: &random) ?? 0
                    program.type("\u{1B}[<\(button);\(x);\(y)M")
                }
            }
            // Escape closes the help if it is open, and resumes the display if it is frozen.
            program.type("\u{1B}")
            let waitStart = program.output.count
            program.resize(columns: 100, rows: 30)
            try program.wait(for: "ycsb-c", from: waitStart)
            program.type("\u{3}")
            let end = try program.waitUntilEnd()
            #expect(end == .status(130))
            #expect(program.isRestored)
            #expect(program.hasOriginalSettings)
            #expect(contents(of: folder).isEmpty)
        }
    }

    @Test
    func aClickPressesAKeyAndTheMouseIsReleased() throws {
        try withDashboard { program, _ in
            try program.wait(for: "\u{1B}[?1006h")
            try program.wait(for: "LIVE")
            // This is the first key in the upper row of the key bar.
            let start = program.output.count
            program.type("\u{1B}[<0;4;39M\u{1B}[<0;4;39m")
            try program.wait(for: "Navigation", from: start)
            program.send(SIGTERM)
            let end = try program.waitUntilEnd()
            #expect(end == .status(128 + SIGTERM))
            let text = String(decoding: program.output, as: UTF8.self)
            let released = text.range(of: "\u{1B}[?1002l", options: .backwards)
            let captured = text.range(of: "\u{1B}[?1002h", options: .backwards)
            #expect(try #require(released).lowerBound > #require(captured).lowerBound)
        }
    }

    @Test
    func aSettingDisablesTheMouse() throws {
        try withTemporaryFolder { folder in
            let settings = folder.appendingPathComponent(".config/poolgauge")
            try FileManager.default.createDirectory(
                at: settings,
                withIntermediateDirectories: true
            )
            let file = settings.appendingPathComponent("config.yaml")
            let yaml = "mouse: false\ntheme: light\nkeys: {quit: [X], help: [H]}"
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            let program = try TerminalProgram(
                [Program.path, "dashboard", "ycsb-c", "--scale", "1"],
                environment: Program.environment(temporary: folder)
            )
            try program.wait(for: "LIVE")
            program.type("qH")
            try program.wait(for: "Navigation")
            program.type("\u{1B}X")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            #expect(!String(decoding: program.output, as: UTF8.self).contains("\u{1B}[?1006h"))
        }
    }

    @Test
    func copiedTextIsSentToTheTerminal() throws {
        try withDashboard { program, _ in
            try program.wait(for: "LIVE")
            program.type("y")
            try program.wait(for: "\u{1B}]52;c;")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
        }
    }

    @Test
    func keysControlTheRun() throws {
        try withDashboard(arguments: ["--arm", "pool"]) { program, _ in
            try program.wait(for: "LIVE")
            program.type("n")
            try program.wait(for: "you took a snapshot; 1 is open")
            program.type("?")
            try program.wait(for: "show or hide this help")
            program.type("\u{1B}")
            program.type("a")
            // The events contain the arm that follows the pool.
            try program.wait(for: "raw starts")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
        }
    }

    @Test
    func noColorIsRespected() throws {
        let color = "\u{1B}[38;5;"
        try withDashboard { program, _ in
            try program.wait(for: color)
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
        }
        try withDashboard(["NO_COLOR": "1", "COLORTERM": "truecolor"]) { program, _ in
            try program.wait(for: "LIVE")
            program.type("t")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            let text = String(decoding: program.output, as: UTF8.self)
            #expect(!text.contains(color))
            #expect(text.firstMatch(of: /\e\[[0-9;]*[34][0-7]m/) == nil)
        }
    }

    @Test
    func anEncodingWithoutUnicodeUsesASCII() throws {
        try withDashboard(["LANG": "C"]) { program, _ in
            try program.wait(for: "LIVE")
            program.type("q")
            let end = try program.waitUntilEnd()
            #expect(end == .status(0))
            #expect(program.output.allSatisfy { $0 < 0x80 })
        }
    }

    @Test(arguments: ["dumb", "", "no-such-terminal"])
    func anUnsuitableTerminalIsAnErrorWithARemedy(name: String) throws {
        try withDashboard(["TERM": name]) { program, _ in
            let end = try program.waitUntilEnd()
            #expect(end == .status(64))
            let text = String(decoding: program.output, as: UTF8.self)
            #expect(text.contains("TERM"))
            #expect(text.contains("poolgauge run"))
            #expect(program.hasOriginalSettings)
        }
    }

    @Test
    func directColorsRequireATerminfoEntry() throws {
        try withTemporaryFolder { folder in
            // The Debian package ncurses-term contains such entries, but it is rarely installed.
            let source = #"""
                xterm-direct|xterm with direct colours,
                	RGB, colors#0x1000000, pairs#0x7FFF,
                	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
                	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
                	initc@, use=xterm-256color,
                """#
            let file = folder.appendingPathComponent("direct.ti")
            try source.write(to: file, atomically: true, encoding: .utf8)
            let entries = folder.appendingPathComponent("terminfo")
            let tic = try TerminalProgram(
                ["/usr/bin/env", "tic", "-x", "-o", entries.path, file.path],
                environment: Program.environment(temporary: folder)
            )
            let compilation = try tic.waitUntilEnd()
            #expect(compilation == .status(0))
            let direct = [
                "TERMINFO_DIRS": "\(entries.path):/lib/terminfo:/usr/share/terminfo",
                "COLORTERM": "truecolor",
            ]
            try withDashboard(direct) { program, _ in
                try program.wait(for: "\u{1B}[38:2::")
                program.type("q")
                let end = try program.waitUntilEnd()
                #expect(end == .status(0))
                #expect(program.isRestored)
            }
        }
    }
}
