import Foundation

/// The folder that contains the sockets of a user's agents.
package struct AgentFolder: Sendable, Equatable {
    /// The path of the folder.
    package var path: String

    /// Creates a value for a folder, which need not exist.
    package init(path: String) { self.path = path }

    /// The folder of the current user.
    package static var standard: AgentFolder {
        if let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"],
            runtime.hasPrefix("/")
        {
            return AgentFolder(path: runtime + "/poolgauge")
        }
        return AgentFolder(path: "/tmp/poolgauge-\(geteuid())")
    }

    /// Creates the folder if it is missing.
    func create() throws(AgentError) {
        if mkdir(path, 0o700) != 0, errno != EEXIST {
            throw AgentError("cannot create the folder \(path): \(UnixSocket.lastError)")
        }
    }

    /// Checks that only the given user can access the folder.
    ///
    /// Another user could have created the path in `/tmp`, as a folder or as a link. `lstat` does
    /// not follow links.
    func check(owner: uid_t = geteuid()) throws(AgentError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw AgentError("cannot examine the folder \(path): \(UnixSocket.lastError)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw AgentError("\(path) is not a folder; remove it")
        }
        guard status.st_uid == owner else {
            throw AgentError(
                "\(path) belongs to user \(status.st_uid), expected user \(owner); remove the "
                    + "folder"
            )
        }
        let mode = status.st_mode & 0o7777
        guard mode == 0o700 else {
            let text = String(mode, radix: 8)
            throw AgentError("\(path) has the mode 0\(text), expected 0700; run chmod 700 on it")
        }
    }

    /// Returns the sockets in the folder, sorted by name, or an empty array if the folder is
    /// missing.
    ///
    /// - Throws: ``AgentError`` if other users can access the folder.
    package func checkedSockets() throws(AgentError) -> [AgentSocket] {
        var status = stat()
        if lstat(path, &status) != 0, errno == ENOENT { return [] }
        try check()
        return sockets()
    }

    /// Returns the sockets in the folder, sorted by name.
    func sockets() -> [AgentSocket] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().compactMap { AgentSocket(folder: path, file: $0) }
    }

    /// Removes the sockets of processes that have ended.
    ///
    /// A refused connection alone does not prove that a socket is stale: between `bind` and
    /// `listen`, a starting agent refuses connections too.
    func removeStaleSockets() {
        for socket in sockets() where !socket.isProcessRunning && socket.refusesConnections {
            unlink(socket.path)
        }
    }
}
