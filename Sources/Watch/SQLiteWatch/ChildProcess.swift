#if os(Linux)
import Glibc
import Synchronization
import Telemetry

/// A type that starts processes that inherit only the descriptors that they need.
package enum ChildProcess {
    /// Creates a pipe that child processes do not inherit.
    package static func pipe(_ ends: inout [Int32]) -> Bool {
        guard Glibc.pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return true
    }

    /// Waits until a descriptor is readable, and returns `false` if the wait fails or reaches a
    /// deadline on the monotonic clock.
    package static func waitForInput(_ descriptor: Int32, until deadline: UInt64) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let now = monotonicNanoseconds()
            guard now < deadline else { return false }
            let count = Glibc.poll(&poll, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    /// Starts a command, or returns `nil` if it cannot be started.
    ///
    /// The child inherits only the given descriptors. Its other standard streams are `/dev/null`.
    /// All other descriptors of this program are closed on exec.
    ///
    /// - Parameters:
    ///   - command: A path and its arguments.
    ///   - descriptors: The descriptors to inherit, by their numbers in the child.
    ///   - environment: The child's environment, or `nil` to inherit this process's environment.
    /// - Returns: The process ID.
    package static func start(
        _ command: [String],
        descriptors: [Int32: Int32],
        environment: [String]? = nil
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Duplicate the sources to descriptors above all targets, because a source may also be a
        // target.
        var sources: [Int32: Int32] = [:]
        for (target, source) in descriptors {
            sources[target] = fcntl(source, F_DUPFD_CLOEXEC, 64)
        }
        defer { for source in sources.values where source >= 0 { close(source) } }
        guard sources.values.allSatisfy({ $0 >= 0 }) else { return nil }
        for standard in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where descriptors[standard] == nil {
            posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
        }
        for (target, source) in sources {
            posix_spawn_file_actions_adddup2(&actions, source, target)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A process in a separate session receives no signals from the terminal.
        posix_spawnattr_setflags(&attributes, startsSession)
        var arguments = command.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        let variables = environment.map { $0.map { strdup($0) } + [nil] }
        defer { for variable in variables ?? [] { free(variable) } }
        var process: pid_t = 0
        let path = command.first ?? ""
        // A survey on another thread can meet the process before this call returns. It waits for the
        // lock, so that it knows the process.
        let status = recent.withLock { recent in
            let status =
                if let variables {
                    posix_spawn(&process, path, &actions, &attributes, arguments, variables)
                } else {
                    posix_spawn(&process, path, &actions, &attributes, arguments, environ)
                }
            guard status == 0 else { return status }
            if recent.count >= recentLimit { recent.removeFirst() }
            recent.append(process)
            return status
        }
        guard status == 0 else { return nil }
        return process
    }

    /// The processes started last, which may have ended.
    private static let recent = Mutex<[pid_t]>([])
    private static let recentLimit = 64

    /// Returns whether this program has started a process with ``start(_:descriptors:environment:)``.
    ///
    /// Such a process reads files on behalf of this program, so it is not one of their users.
    package static func contains(_ process: pid_t) -> Bool {
        recent.withLock { $0.contains(process) }
            && ProcessStat(of: process)?.parent == getpid()
    }

    /// The value of `POSIX_SPAWN_SETSID`, a glibc extension.
    private static let startsSession: Int16 = 0x80
}
#endif
