import CNCurses
import Foundation
import TestSupport

/// A program on a pseudo-terminal, and the user's side of that terminal.
final class TerminalProgram {
    enum End: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// The output of the program so far.
    private(set) var output: [UInt8] = []
    private let process: pid_t
    private var userSide: Int32
    private let programSide: Int32
    private var end: End?
    private let settingsBefore: [UInt8]

    /// The timeout of each wait, in seconds.
    private static let timeout: TimeInterval = 60

    /// Starts a program.
    init(
        _ command: [String],
        environment: [String: String],
        columns: Int32 = 120,
        rows: Int32 = 40
    ) throws {
        var (userSide, programSide): (Int32, Int32) = (-1, -1)
        guard pg_pty_open(columns, rows, &userSide, &programSide) else { throw POSIXError(.ENXIO) }
        self.userSide = userSide
        self.programSide = programSide
        settingsBefore = Self.settings(programSide)
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        process = arguments.map { UnsafePointer($0) }.withUnsafeBufferPointer { arguments in
            variables.map { UnsafePointer($0) }.withUnsafeBufferPointer { variables in
                pg_pty_spawn(arguments.baseAddress, variables.baseAddress, programSide)
            }
        }
        guard process > 0 else { throw POSIXError(.ECHILD) }
    }

    deinit {
        if end == nil {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
        }
        hangUp()
        close(programSide)
    }

    /// Whether the terminal has the settings that it had before the program started.
    var hasOriginalSettings: Bool { Self.settings(programSide) == settingsBefore }

    /// The number of bytes that a read waits for.
    var awaitedBytes: UInt8? {
        let settings = Self.settings(programSide)
        let index = 4 * MemoryLayout<tcflag_t>.size + Int(VMIN)
        return settings.indices.contains(index) ? settings[index] : nil
    }

    /// Whether the last escape sequences of the program show the normal screen and the cursor.
    var isRestored: Bool {
        let text = String(decoding: output, as: UTF8.self)
        func last(_ sequence: String) -> String.Index? {
            text.range(of: sequence, options: .backwards)?.lowerBound
        }
        guard let entered = last("\u{1B}[?1049h"), let left = last("\u{1B}[?1049l"),
            let hidden = last("\u{1B}[?25l"), let shown = last("\u{1B}[?25h")
        else { return false }
        return entered < left && hidden < shown
    }

    /// Types text.
    func type(_ text: String) {
        var bytes = ArraySlice(Array(text.utf8))
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(userSide, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Sends a signal to the program.
    func send(_ signal: Int32) { kill(process, signal) }

    /// Resizes the terminal.
    func resize(columns: Int32, rows: Int32) { _ = pg_pty_resize(userSide, columns, rows) }

    /// Closes the user's side, as when a terminal window is closed.
    func hangUp() {
        if userSide >= 0 { close(userSide) }
        userSide = -1
    }

    /// Waits until the program has written a string after position `start` of its output.
    func wait(for text: String, from start: Int = 0) throws {
        try wait(for: "'\(text)'") {
            String(decoding: output[min(start, output.count)...], as: UTF8.self).contains(text)
        }
    }

    /// Waits until the terminal has its original settings, or until it has different settings.
    func wait(untilSettingsAreRestored expected: Bool) throws {
        try wait(for: "the terminal's settings") { hasOriginalSettings == expected }
    }

    /// Waits for the program to end, and reads its remaining output.
    ///
    /// - Parameter signal: A signal to send repeatedly while waiting.
    /// - Returns: How the program ended.
    /// - Throws: ``TimedOut`` if the program does not end.
    func waitUntilEnd(sending signal: Int32? = nil) throws -> End {
        try wait(for: "the program ends") {
            if hasEnded() { return true }
            if let signal { send(signal) }
            return false
        }
        while read(waitingAtMost: 0) {}
        guard let end else { throw POSIXError(.ECHILD) }
        return end
    }

    private func hasEnded() -> Bool {
        if end != nil { return true }
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return false }
        let number = status & 0x7F
        end = number == 0 ? .status((status >> 8) & 0xFF) : .signal(number)
        return true
    }

    private func wait(for what: String, _ isMet: () -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Self.timeout)
        while !isMet() {
            guard Date() < deadline else {
                let shown = String(decoding: output.suffix(2_000), as: UTF8.self)
                throw TimedOut(
                    description: "timed out: \(what); last output: \(shown.debugDescription)"
                )
            }
            read(waitingAtMost: 20)
        }
    }

    @discardableResult
    private func read(waitingAtMost milliseconds: Int32) -> Bool {
        var descriptor = pollfd(fd: userSide, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0, userSide >= 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(userSide, &buffer, buffer.count)
        guard count > 0 else { return false }
        output += buffer[..<count]
        return true
    }

    private static func settings(_ programSide: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        var count: Int32 = 0
        guard pg_pty_settings(programSide, &bytes, Int32(bytes.count), &count) else { return [] }
        return Array(bytes[..<Int(count)])
    }
}

/// Runs the dashboard with a small, active scenario.
func withDashboard(
    _ changes: [String: String] = [:],
    arguments: [String] = [],
    _ body: (TerminalProgram, URL) throws -> Void
) throws {
    try withTemporaryFolder { folder in
        var environment = Program.environment(temporary: folder)
        environment.merge(changes) { $1 }
        let program = try TerminalProgram(
            [Program.path, "dashboard", "ycsb-c", "--scale", "1"] + arguments,
            environment: environment
        )
        try body(program, folder)
    }
}
