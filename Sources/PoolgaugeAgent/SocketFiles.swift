import Foundation
import Telemetry

/// The sockets of this process's agents, which are removed when the process ends with `exit`.
enum SocketFiles {
    private struct State {
        /// The sockets, and the process that created each of them.
        var owners: [String: pid_t] = [:]
        var isRegistered = false
    }

    private static let state = Lock(State())

    /// Adds a socket of this process.
    static func add(_ path: String) {
        let isFirst = state.withLock { state in
            defer { state.isRegistered = true }
            state.owners[path] = getpid()
            return !state.isRegistered
        }
        if isFirst { atexit { SocketFiles.removeAll() } }
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
