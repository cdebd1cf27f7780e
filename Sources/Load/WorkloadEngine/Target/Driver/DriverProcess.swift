import Foundation
import Scenarios
import Synchronization
import Telemetry
import Text

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A driver in its own process group, with pipes for its input, its output, and its errors.
///
/// The process group makes it possible to end all descendants, such as those of `go run`.
package final class DriverProcess: Sendable {
    private struct State: Sendable {
        var isReaped = false
        var status: Int32 = 0
        /// The end of the driver's errors.
        var errors: [UInt8] = []
        /// Whether all errors have been read.
        var hasAllErrors = false
        var input: Int32
        var buffer: [UInt8] = []
    }

    let identifier: pid_t
    private let output: Int32
    private let state: Lock<State>

    /// The maximum length of a line of a driver, in bytes.
    static let maximumLine = 1 << 20
    private static let errorLength = 2000
    /// The time that a driver has to end after its input ends, in nanoseconds.
    private static let grace: UInt64 = 2_000_000_000

    /// The drivers that have not ended, for a process that exits immediately.
    private static let running = Mutex<Set<pid_t>>([])

    /// Kills all drivers of this process.
    ///
    /// Call this method before the process exits without ending its runs.
    package static func killAll() {
        running.withLock { groups in for group in groups { kill(-group, SIGKILL) } }
    }

    /// Starts a program, whose name is a path or is searched in `PATH`.
    ///
    /// - Throws: ``DriverFailure`` if the program cannot be started.
    init(_ command: [String]) throws {
        guard let program = command.first else { throw DriverFailure("the command is empty") }
        let pipes = [try DriverSocket.pair()] + (try (0..<2).map { _ in try Self.pipe() })
        defer { for end in [pipes[0].read, pipes[1].write, pipes[2].write] { close(end) } }
        do {
            identifier = try Self.spawn(
                program,
                command: command,
                input: pipes[0].read,
                output: pipes[1].write,
                errors: pipes[2].write
            )
        } catch {
            for end in [pipes[0].write, pipes[1].read, pipes[2].read] { close(end) }
            throw error
        }
        output = pipes[1].read
        state = Lock(State(input: pipes[0].write))
        let group = identifier
        _ = Self.running.withLock { $0.insert(group) }
        collectErrors(from: pipes[2].read)
    }

    deinit { end() }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else {
            throw DriverFailure("no pipe can be created: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ program: String,
        command: [String],
        input: Int32,
        output: Int32,
        errors: Int32
    ) throws -> pid_t {
        #if canImport(Glibc)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #else
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // A child process inherits ignored signals and the mask of the calling thread.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let texts = command.map { strdup($0) }
        defer { for text in texts { free(text) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, program, &actions, &attributes, texts + [nil], environ)
        guard code == 0 else {
            throw DriverFailure(
                code == ENOENT
                    ? "there is no program '\(program)'"
                    : "'\(program)' cannot be started: \(String(cString: strerror(code)))"
            )
        }
        return child
    }

    private func collectErrors(from errors: Int32) {
        let thread = Thread { [weak self] in
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(errors, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                self?.state.withLock { state in
                    state.errors.append(contentsOf: chunk[..<count])
                    let excess = state.errors.count - Self.errorLength
                    if excess > 0 { state.errors.removeFirst(excess) }
                }
            }
            close(errors)
            self?.state.withLock { $0.hasAllErrors = true }
        }
        thread.name = "poolgauge.driver-errors"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Writes a line to the driver's input.
    func send(_ message: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
        let input = state.withLock { $0.input }
        try DriverSocket.send(bytes, to: input)
    }

    /// Reads a line of the driver's output.
    ///
    /// - Throws: ``DriverFailure`` if there is no line until the deadline, or `CancellationError` if
    ///   the run stops.
    func receiveLine(until deadline: UInt64, unless isStopped: () -> Bool) throws -> [UInt8] {
        let clock = MonotonicClock()
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let line = state.withLock { state -> [UInt8]? in
                guard let end = state.buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { state.buffer.removeSubrange(...end) }
                return Array(state.buffer[..<end])
            }
            if let line { return line }
            guard state.withLock({ $0.buffer.count }) < Self.maximumLine else {
                throw DriverFailure("its output contains a line of more than 1 MiB")
            }
            let now = clock.now()
            guard now < deadline else { throw DriverFailure.late }
            if isStopped() { throw CancellationError() }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            _ = poll(&descriptor, 1, Int32(min(100, (deadline - now) / 1_000_000 + 1)))
            guard descriptor.revents != 0 else { continue }
            let count = read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DriverFailure.ended }
            state.withLock { $0.buffer.append(contentsOf: chunk[..<count]) }
        }
    }

    /// Describes how the driver ended, with the end of its errors.
    ///
    /// Waits up to 0.5 s for a driver that is ending, and then for the rest of its errors.
    var ending: String {
        for _ in 0..<50 where !isOver { usleep(10_000) }
        let isRunning = !isOver
        if !isRunning {
            end()
            for _ in 0..<50 where !state.withLock(\.hasAllErrors) { usleep(10_000) }
        }
        let (status, errors) = state.withLock { ($0.status, $0.errors) }
        var text =
            isRunning
            ? "it closed a connection but did not end"
            : status & 0x7F == 0
                ? "it ended with status \(status >> 8 & 0xFF)"
                : "signal \(status & 0x7F) ended it"
        let lines = String(decoding: errors, as: UTF8.self).split(whereSeparator: \.isNewline)
        let last = lines.suffix(3).joined(separator: " ").trimmingCharacters(in: .whitespaces)
        if !last.isEmpty { text += ": " + Escaping.terminal(String(last.suffix(400))) }
        return text
    }

    /// Whether the driver has ended.
    ///
    /// The process identifier stays reserved until ``end()``.
    var isOver: Bool {
        if state.withLock({ $0.isReaped }) { return true }
        var info = siginfo_t()
        let result = waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT)
        // The signal number is 0 if no child has ended.
        return result != 0 ? errno != EINTR : info.si_signo != 0
    }

    func terminate() {
        state.withLock { state in if !state.isReaped { kill(-identifier, SIGKILL) } }
    }

    /// Ends the driver and its descendants: first by the end of its input, then by a signal.
    func end() {
        let input = state.withLock { state in
            defer { state.input = -1 }
            return state.input
        }
        guard input >= 0 else { return }
        close(input)
        let clock = MonotonicClock()
        let start = clock.now()
        while !isOver, clock.now() - start < Self.grace { usleep(2_000) }
        let group = identifier
        state.withLock { state in
            kill(-group, SIGKILL)
            while waitpid(group, &state.status, 0) < 0, errno == EINTR {}
            state.isReaped = true
        }
        _ = Self.running.withLock { $0.remove(group) }
        close(output)
    }
}

extension Arm.Driver {
    /// Prepares the program for a run.
    ///
    /// - Returns: The program and its arguments.
    /// - Throws: ``DriverFailure``.
    func launch() throws -> [String] {
        if let command {
            guard isAllowed else {
                throw DriverFailure(
                    "it is a command, and the scenario is not a file that only this user can "
                        + "change; check the command, then use --allow-commands"
                )
            }
            return command
        }
        guard let builtIn = BuiltInDriver.named(name) else {
            throw DriverFailure("there is no driver '\(name)'")
        }
        return try builtIn.launch()
    }
}

extension BuiltInDriver {
    /// Writes the file to a private folder and, if necessary, compiles it.
    ///
    /// The folder remains until this process exits, because other runs use it.
    ///
    /// - Returns: The program and its arguments.
    /// - Throws: ``DriverFailure`` if a package is missing.
    func launch() throws -> [String] {
        guard Self.isInPath(program) else {
            throw DriverFailure("it needs '\(program)', which is not in PATH; install \(packages)")
        }
        let folder = try Self.folder.get()
        let path = folder.appendingPathComponent(file).path
        return try Self.launching.withLock { isPrepared in
            switch method {
            case .run(let arguments):
                if isPrepared.insert(name).inserted {
                    try Data(source.utf8).write(to: URL(fileURLWithPath: path))
                }
                return [program] + arguments + [path]
            case .compile(let arguments, let environment):
                let output = folder.appendingPathComponent("poolgauge-driver-\(name)").path
                if !isPrepared.contains(name) {
                    try Data(source.utf8).write(to: URL(fileURLWithPath: path))
                    try compile(
                        arguments.map { $0 == "SOURCE" ? path : $0 == "OUTPUT" ? output : $0 },
                        environment: environment
                    )
                    isPrepared.insert(name)
                }
                return [output]
            }
        }
    }

    private func compile(_ arguments: [String], environment: [String: String]) throws {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardError = errors
        process.standardOutput = errors
        try process.run()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let lines = text.split(whereSeparator: \.isNewline).prefix(3).joined(separator: " ")
            throw DriverFailure("it cannot be compiled; install \(packages): \(lines.prefix(400))")
        }
    }

    private static func isInPath(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// The names of the drivers whose files exist.
    private static let launching = Lock<Set<String>>([])

    private static let folder: Result<URL, any Error> = Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-drivers-\(UUID().uuidString.prefix(8))")
        try PrivateFolder.create(at: folder)
        path = strdup(folder.path)
        atexit { BuiltInDriver.removeFolder() }
        return folder
    }

    /// The path of the folder.
    ///
    /// Only the initializer of ``folder`` writes it, before it registers the only reader.
    nonisolated(unsafe) private static var path: UnsafeMutablePointer<CChar>?

    /// Removes the files of the built-in drivers.
    ///
    /// Call this method before the process exits immediately.
    package static func removeFolder() {
        guard let path else { return }
        try? FileManager.default.removeItem(atPath: String(cString: path))
    }
}

/// The reason that a driver cannot be used.
struct DriverFailure: Error, CustomStringConvertible, Equatable {
    var description: String

    init(_ description: String) { self.description = description }

    static let late = DriverFailure("it did not answer in time")
    static let ended = DriverFailure("it has ended")
}
