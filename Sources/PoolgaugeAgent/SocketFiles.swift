import Foundation
import Telemetry

/// The sockets of this process's agents, which are removed when the process ends with `exit`.
enum SocketFiles {
    private struct State {
        /// The process that created each socket, keyed by the socket's path.
        var owners: [String: pid_t] = [:]
        var isRegistered = false
    }

    private static let state = Lock(State())

    /// Adds a socket of this process.
    ///
    /// - Returns: `false` if an agent of this process already uses the path.
    static func add(_ path: String) -> Bool {
        let (isNew, isFirst) = state.withLock { state in
            guard state.owners[path] != getpid() else { return (false, false) }
            defer { state.isRegistered = true }
            state.owners[path] = getpid()
            return (true, !state.isRegistered)
        }
        if isFirst { atexit { SocketFiles.removeAll() } }
        return isNew
    }

    /// Removes a socket from the list without removing the file.
    static func release(_ path: String) {
        state.withLock { $0.owners[path] = nil }
    }

    /// The names of this process's agents.
    static var names: Set<String> {
        let paths = state.withLock { state in state.owners.filter { $0.value == getpid() }.keys }
        return Set(
            paths.compactMap { path in
                let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                let folder = parts.dropLast().joined(separator: "/")
                return parts.last.flatMap { AgentSocket(folder: folder, file: String($0))?.name }
            }
        )
    }

    /// Removes a socket.
    static func remove(_ path: String) {
        remove { $0 == path }
    }

    private static func removeAll() {
        remove { _ in true }
    }

    private static func remove(where isIncluded: (String) -> Bool) {
        let removed = state.withLock { state in
            let removed = state.owners.filter { isIncluded($0.key) }
            for path in removed.keys { state.owners[path] = nil }
            return removed
        }
        // A forked child inherits the list, but the sockets belong to its parent.
        for (path, owner) in removed where owner == getpid() { unlink(path) }
    }
}
