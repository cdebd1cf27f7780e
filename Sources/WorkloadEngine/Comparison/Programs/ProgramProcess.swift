import Foundation
import Telemetry

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program in its own process group, with output redirected to files.
///
/// Output goes to files because a pipe would remain open until all of the program's descendants
/// close it. The process group makes it possible to end all descendants, such as the commands of a
/// shell script.
final class ProgramProcess: Sendable {
    struct Outcome: Sendable {
        enum End: Sendable, Equatable {
            case status(Int32)
            /// A signal ended the program.
            case signal(Int32)
            /// The program exceeded the time limit.
            case timedOut
            /// The program wrote more than ``ProgramProcess/outputLimit`` bytes.
            case outputTooLarge
            /// ``ProgramProcess/stop()`` ended the program.
            case stopped
        }

        var end: End
        var output: Data
        var errors: String
    }

    private struct State: Sendable {
        var group: pid_t?
        var isStopped = false
    }

    /// The maximum size of the output, in bytes.
    private static let outputLimit = 256 << 20
    /// The time between two checks of the program, in microseconds.
    private static let interval: UInt32 = 10_000
    /// The time that a stopped program has to remove its files, in nanoseconds.
    private static let grace: UInt64 = 5_000_000_000

    private let path: String
    private let arguments: [String]
    private let environment: [String: String]
    private let folder: URL
    private let limit: UInt64
    private let state = Lock(State())

    /// Creates a run of a program.
    ///
    /// Call ``run()`` to start it.
    ///
    /// - Parameters:
    ///   - path: The absolute path.
    ///   - arguments: The arguments, without the program's name.
    ///   - environment: The complete environment.
    ///   - folder: The folder for the output files.
    ///   - limit: The time after which the program is killed.
    init(
        _ path: String,
        _ arguments: [String],
        environment: [String: String],
        in folder: URL,
        limit: Duration
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.folder = folder
        self.limit = limit.wholeNanoseconds
    }

    /// Ends the program early, after allowing it time to remove its files.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let group = state.group { kill(-group, SIGTERM) }
        }
    }

    func killGroup() {
        state.withLock { state in
            state.isStopped = true
            if let group = state.group { kill(-group, SIGKILL) }
        }
    }

    /// Runs the program and blocks the current thread until the program ends.
    ///
    /// - Throws: ``RunError`` if the program cannot be started.
    func run() throws -> Outcome {
        let output = folder.appendingPathComponent("output.json")
        let errors = folder.appendingPathComponent("errors.txt")
        let isStopped = try state.withLock { state in
            if !state.isStopped { state.group = try spawn(output.path, errors.path) }
            return state.isStopped
        }
        let end = isStopped ? .stopped : wait(for: output.path, errors.path)
        return Outcome(
            end: end,
            output: end == .outputTooLarge ? Data() : (try? Data(contentsOf: output)) ?? Data(),
            errors: Self.ending(of: errors)
        )
    }

    private static func ending(of file: URL) -> String {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return "" }
        let size = (try? handle.seekToEnd()) ?? 0
        try? handle.seek(toOffset: size > 4096 ? size - 4096 : 0)
        return String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }

    // MARK: Termination

    private func wait(for files: String...) -> Outcome.End {
        let clock = MonotonicClock()
        let start = clock.now()
        var end: Outcome.End?
        var stoppedAt: UInt64?
        while !hasEnded {
            let now = clock.now()
            if end == nil {
                if now - start > limit { end = .timedOut }
                let size = files.reduce(0) { $0 + Self.size(of: $1) }
                if size > Self.outputLimit { end = .outputTooLarge }
                if state.withLock({ $0.isStopped }) { end = .stopped }
            }
            switch end {
            case .stopped:
                stoppedAt = stoppedAt ?? now
                if let stoppedAt, now - stoppedAt > Self.grace { killGroup() }
            case .timedOut, .outputTooLarge: killGroup()
            default: break
            }
            usleep(Self.interval)
        }
        let status = reap()
        if let end { return end }
        if state.withLock({ $0.isStopped }) { return .stopped }
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    /// Whether the program has ended.
    ///
    /// The process identifier stays reserved until ``reap()``.
    private var hasEnded: Bool {
        guard let group = state.withLock({ $0.group }) else { return true }
        var info = siginfo_t()
        let result = waitid(P_PID, id_t(group), &info, WEXITED | WNOHANG | WNOWAIT)
        // The signal number is 0 if no child has ended.
        return result != 0 ? errno != EINTR : info.si_signo != 0
    }

    /// Kills the descendants of the ended program, and returns the program's `waitpid` status.
    private func reap() -> Int32 {
        state.withLock { state in
            guard let group = state.group else { return 0 }
            kill(-group, SIGKILL)
            var status: Int32 = 0
            while waitpid(group, &status, 0) < 0, errno == EINTR {}
            state.group = nil
            return status
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    // MARK: Launch

    private func spawn(_ output: String, _ errors: String) throws -> pid_t {
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
        let writeFlags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, writeFlags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, writeFlags, 0o600)
        // A child process inherits the set of ignored signals. Restore the default actions, because
        // this process ignores these signals and handles them without signal handlers.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // A Dispatch thread blocks most signals, and a child process inherits its signal mask.
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var changed = environment
        // Use this folder for temporary files, because its removal also removes the temporary files
        // of a killed program.
        changed["TMPDIR"] = folder.path
        let texts = ([path] + arguments).map { strdup($0) }
        let variables = changed.map { strdup("\($0.key)=\($0.value)") }
        defer { for text in texts + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(
            &child,
            path,
            &actions,
            &attributes,
            texts + [nil],
            variables + [nil]
        )
        guard code == 0 else {
            throw RunError(
                .scenario,
                "'\(path)' cannot be started: \(String(cString: strerror(code)))"
            )
        }
        return child
    }
}
