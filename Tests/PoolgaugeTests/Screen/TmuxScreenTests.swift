import Foundation
import TestSupport
import Testing

/// Tests the screen on a real terminal if tmux is installed (`./test` installs it).
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: Tmux.isInstalled))
struct TmuxScreenTests {
    /// Returns the command for the dashboard with a load that outlasts all waits of a test.
    private func dashboard(arm: String) -> [String] {
        [Program.path, "dashboard", "reader-storm", "--arm", arm, "--duration", "10m"]
    }

    @Test(arguments: [(120, 40), (80, 24)])
    func theOverviewShowsAPoolUnderLoad(width: Int, height: Int) throws {
        try withTemporaryFolder { folder in
            let tmux = Tmux(folder: folder)
            defer { tmux.end() }
            try tmux.start(dashboard(arm: "pool-1"), width: width, height: height)
            // With one reader for twelve threads, the pool is full and accesses wait.
            try tmux.wait(for: "max 1")
            try tmux.wait(for: "LIVE")
            try tmux.wait { $0.contains("saturated") && !$0.contains("reads waiting     0") }
            tmux.type("n")
            try tmux.wait(for: "1 snapshot")
            tmux.type("?")
            try tmux.wait(for: "overview: the whole run at a glance")
            tmux.type("Escape")
            try tmux.wait { !$0.contains("overview: the whole run at a glance") }
            tmux.type("Space")
            try tmux.wait(for: "FROZEN")
            #expect(tmux.screen().split(separator: "\n").allSatisfy { $0.count <= width })
            tmux.type("q")
            try tmux.wait { !$0.contains("FROZEN") }
        }
    }

    @Test
    func keysControlTheLoadAndActionsAreConfirmed() throws {
        try withTemporaryFolder { folder in
            let tmux = Tmux(folder: folder)
            defer { tmux.end() }
            try tmux.start(dashboard(arm: "pool"), width: 120, height: 40)
            try tmux.wait(for: "LIVE")
            tmux.type("p")
            try tmux.wait(for: "load paused")
            tmux.type("p")
            try tmux.wait(for: "load resumed")
            tmux.type("I")
            try tmux.wait(for: "you interrupted every statement")
            tmux.type("c")
            tmux.type("Enter")
            try tmux.wait(for: "you ran a passive checkpoint")
            tmux.type(">")
            try tmux.wait(for: "20 frames per second")
            tmux.type("n")
            try tmux.wait(for: "1 snapshot open")
            tmux.type("x")
            try tmux.wait(for: "0 snapshots open")
            tmux.type("q")
            try tmux.wait(for: "INTERRUPTED, PARTIAL  reader-storm on pool")
        }
    }
}

/// A terminal multiplexer that only the test uses.
struct Tmux {
    let folder: URL

    static let isInstalled =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/tmux")
        }

    /// Starts a program in a window of the given size.
    ///
    /// The window remains open after the program ends.
    func start(_ command: [String], width: Int, height: Int) throws {
        let quoted = command.map { "'\($0)'" }.joined(separator: " ")
        // Do not use Process, because it would wait for the server that its child leaves running.
        let client = try TerminalProgram(
            ["/usr/bin/env"] + self.command + [
                "-f", "/dev/null", "new-session", "-d", "-x", "\(width)", "-y", "\(height)",
                "\(quoted); read -r line",
            ],
            environment: Program.environment(temporary: folder)
        )
        _ = try client.waitUntilEnd()
    }

    /// Types keys, given by their tmux names.
    func type(_ key: String) { _ = run(["send-keys", key]) }

    /// Returns the content of the screen.
    func screen() -> String { run(["capture-pane", "-p"]) }

    /// Waits until the screen contains a string.
    func wait(for text: String) throws { try wait { $0.contains(text) } }

    /// Waits until the screen meets a condition.
    func wait(until isMet: (String) -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            let shown = screen()
            if isMet(shown) { return }
            guard Date() < deadline else { throw TimedOut(description: "the screen:\n\(shown)") }
        }
    }

    /// Ends the server and its programs.
    func end() { _ = run(["kill-server"]) }

    /// The start of a tmux command that uses a separate server.
    private var command: [String] {
        ["tmux", "-S", folder.appendingPathComponent("socket").path]
    }

    private func run(_ arguments: [String]) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + arguments
        process.environment = Program.environment(temporary: folder)
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return "" }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
