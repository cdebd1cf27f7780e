#if os(Linux)
import Glibc
import SQLiteWatch

/// The process that removes the trace instance and probes of a killed session.
///
/// The guardian reads from a pipe. Only the session's process has the write end open, and the
/// kernel closes that end when the process ends for any reason.
public enum TraceGuardian {
    /// Waits for the end of standard input, and then removes the instance and probes with the given
    /// name.
    ///
    /// A tracing program calls this method in the command that it passes to a session.
    public static func run(name: String) {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { signal(number, SIG_IGN) }
        guard TraceOwner(name: name) != nil, case .success(let folder) = TraceFolder.find() else {
            return
        }
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count > 0 || (count < 0 && errno == EINTR) { continue }
            break
        }
        // Retry, because the kernel closes the files of the killed process one at a time.
        for _ in 0..<2_000 {
            if folder.remove(name) { return }
            usleep(5_000)
        }
    }

    /// Removes the instances and probes that terminated sessions left behind.
    ///
    /// - Returns: The removed names, and the names that could not be removed.
    public static func clean() -> Result<(removed: [String], remaining: [String]), TraceError> {
        TraceFolder.find().map { folder in
            var removed: [String] = []
            var remaining: [String] = []
            for name in folder.sessionNames().sorted() {
                guard let owner = TraceOwner(name: name), !owner.isRunning else { continue }
                if folder.remove(name) { removed.append(name) } else { remaining.append(name) }
            }
            return (removed, remaining)
        }
    }
}

/// A session's connection to its guardian process.
final class GuardianProcess {
    private let pipe: Int32
    private let process: pid_t

    /// Starts a guardian.
    ///
    /// - Parameters:
    ///   - command: A program and its arguments. The name is appended.
    ///   - name: The name of the instance and the probes that the guardian removes.
    /// - Throws: ``TraceError`` if the process cannot be started.
    init(command: [String], name: String) throws(TraceError) {
        var ends: [Int32] = [-1, -1]
        guard ChildProcess.pipe(&ends) else {
            throw TraceError(.guardian, "a pipe to the guardian process cannot be created")
        }
        let child = ChildProcess.start(command + [name], descriptors: [STDIN_FILENO: ends[0]])
        close(ends[0])
        guard let child else {
            close(ends[1])
            throw TraceError(.guardian, "the guardian process cannot be started")
        }
        pipe = ends[1]
        process = child
    }

    deinit {
        close(pipe)
        waitpid(process, nil, 0)
    }
}
#endif
