import Foundation
import Telemetry

/// A server in a program that reports the status of a database to `poolgauge` and other clients.
///
/// The agent listens on a Unix socket that only the same user can open. One thread serves all
/// clients and sleeps while there are none. Accesses to the database never wait for a client.
///
/// The agent runs until ``stop()`` is called or the object is deallocated. Until then, it keeps the
/// database object alive. If the program ends with `exit`, the socket is removed. After a crash,
/// the user's next agent removes it.
public final class Agent: Sendable {
    /// The path of the socket, `NAME-PID.sock`.
    public let socketPath: String
    private let mailbox: Mailbox
    private let isRunning = Lock(true)

    /// Starts an agent for a database.
    ///
    /// - Parameters:
    ///   - database: The database whose status the agent reports, such as a `DatabasePool`.
    ///   - name: The name of the agent: 1 to 32 letters, digits, `.`, `_`, or `-`.
    ///   - allowsControl: Whether clients may interrupt statements and request checkpoints.
    /// - Returns: The running agent.
    /// - Throws: ``AgentError`` if the name is invalid, the folder is unsafe, or the socket cannot
    ///   be created.
    public static func start(
        _ database: some StatusReporting,
        name: String,
        allowsControl: Bool = false
    ) throws(AgentError) -> Agent {
        try Agent(service: AgentService(database, name: name, allowsControl: allowsControl))
    }

    /// Starts an agent for a database if the environment variable `POOLGAUGE_AGENT` is `1`.
    ///
    /// - Parameters:
    ///   - database: The database whose status the agent reports, such as a `DatabasePool`.
    ///   - name: The name of the agent, or `nil` to derive it from the name of the process.
    ///   - allowsControl: Whether clients may interrupt statements and request checkpoints.
    /// - Returns: The running agent, or `nil` if it was not requested.
    /// - Throws: ``AgentError`` if the name is invalid, the folder is unsafe, or the socket cannot
    ///   be created.
    public static func startIfRequested(
        _ database: some StatusReporting,
        name: String? = nil,
        allowsControl: Bool = false
    ) throws(AgentError) -> Agent? {
        guard isRequested else { return nil }
        return try start(database, name: name ?? unusedName, allowsControl: allowsControl)
    }

    /// Starts an agent for a database, with its socket in the given folder.
    package static func start(
        _ database: some StatusReporting,
        name: String,
        allowsControl: Bool = false,
        folder: AgentFolder
    ) throws(AgentError) -> Agent {
        let service = AgentService(database, name: name, allowsControl: allowsControl)
        return try Agent(service: service, folder: folder)
    }

    private static var isRequested: Bool {
        ProcessInfo.processInfo.environment["POOLGAUGE_AGENT"] == "1"
    }

    /// A valid, unused name for an agent of this process: the name of the process, such as `app`,
    /// or `app-2`.
    static var unusedName: String {
        let name = AgentSocket.validName(from: ProcessInfo.processInfo.processName)
        let used = SocketFiles.names
        let numbered = (2...(used.count + 2)).lazy.map { number in
            "\(name.prefix(AgentSocket.maximumNameLength - 4))-\(number)"
        }
        return used.contains(name) ? numbered.first { !used.contains($0) } ?? name : name
    }

    init(
        service: AgentService,
        folder: AgentFolder = .standard,
        limits: AgentLimits = AgentLimits(),
        user: uid_t = geteuid()
    ) throws(AgentError) {
        guard AgentSocket.isValid(name: service.name) else {
            throw AgentError(
                "'\(service.name)' is not a valid agent name; "
                    + "expected 1 to 32 letters, digits, '.', '_', or '-'"
            )
        }
        try folder.create()
        try folder.check()
        folder.removeStaleSockets()
        let socket = AgentSocket(name: service.name, process: getpid(), folder: folder)
        let mailbox = try Mailbox(capacity: limits.maximumPendingBytes)
        guard SocketFiles.add(socket.path) else {
            throw AgentError(
                "this process already has an agent with the name '\(service.name)'; "
                    + "choose another name"
            )
        }
        let listener: Int32
        do throws(AgentError) { listener = try Self.listen(on: socket) } catch {
            SocketFiles.release(socket.path)
            throw error
        }
        socketPath = socket.path
        self.mailbox = mailbox
        Thread.detachNewThread {
            Thread.current.name = "poolgauge-agent"
            var loop = AgentLoop(
                listener: listener,
                mailbox: mailbox,
                limits: limits,
                admits: { UnixSocket.peerUser(of: $0) == user },
                respond: service.answer
            )
            loop.run()
        }
    }

    deinit { stop() }

    /// Stops the agent, removes its socket, and closes the clients' connections.
    ///
    /// Stopping a stopped agent has no effect.
    public func stop() {
        let wasRunning = isRunning.withLock { isRunning in
            defer { isRunning = false }
            return isRunning
        }
        guard wasRunning else { return }
        SocketFiles.remove(socketPath)
        mailbox.stop()
    }

    private static func listen(on socket: AgentSocket) throws(AgentError) -> Int32 {
        let listener = try UnixSocket.make()
        do throws(AgentError) {
            UnixSocket.prepare(listener, blocks: false)
            var failure = try UnixSocket.bind(listener, to: socket.path)
            // An earlier process with the same identifier may have left a socket file.
            if failure == EADDRINUSE, socket.refusesConnections {
                unlink(socket.path)
                failure = try UnixSocket.bind(listener, to: socket.path)
            }
            guard failure == 0 else {
                throw AgentError(
                    "cannot bind \(socket.path): \(UnixSocket.description(of: failure))"
                )
            }
            // Set the permissions first, because clients can connect after `listen`.
            guard chmod(socket.path, 0o600) == 0, Foundation.listen(listener, 16) == 0 else {
                let reason = UnixSocket.lastError
                unlink(socket.path)
                throw AgentError("cannot listen on \(socket.path): \(reason)")
            }
            return listener
        } catch {
            close(listener)
            throw error
        }
    }
}

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

/// The socket file of an agent, `NAME-PID.sock`.
package struct AgentSocket: Sendable, Equatable {
    /// The name of the agent.
    package var name: String
    /// The identifier of the agent's process.
    package var process: pid_t
    /// The path of the socket.
    package var path: String

    init(name: String, process: pid_t, folder: AgentFolder) {
        self.name = name
        self.process = process
        path = "\(folder.path)/\(name)-\(process).sock"
    }

    /// Creates a value from a file's name, or returns `nil` if the name has another form.
    init?(folder: String, file: String) {
        guard file.hasSuffix(".sock"), let dash = file.lastIndex(of: "-"), dash > file.startIndex,
            let process = pid_t(file[file.index(after: dash)...].dropLast(5)), process > 0
        else { return nil }
        let name = String(file[..<dash])
        guard AgentSocket.isValid(name: name) else { return nil }
        self.init(name: name, process: process, folder: AgentFolder(path: folder))
        guard path == "\(folder)/\(file)" else { return nil }
    }

    /// The maximum length of a name, in bytes.
    static let maximumNameLength = 32

    /// Returns whether a name is valid in a file name and in a line of text.
    static func isValid(name: String) -> Bool {
        (1...maximumNameLength).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    /// Returns a valid name that resembles the given text.
    static func validName(from text: String) -> String {
        let characters = text.unicodeScalars.prefix(maximumNameLength).map { scalar in
            isValid(name: "a\(scalar)") ? Character(scalar) : "_"
        }
        var name = String(characters)
        if name.isEmpty || name.hasPrefix(".") { name = "_" + name.dropFirst() }
        return name
    }

    /// Whether a process with this identifier exists.
    package var isProcessRunning: Bool { kill(process, 0) == 0 || errno == EPERM }

    /// Whether no process accepts connections to the socket.
    var refusesConnections: Bool {
        guard let socket = try? UnixSocket.make() else { return false }
        defer { close(socket) }
        UnixSocket.prepare(socket, blocks: false)
        return (try? UnixSocket.connect(socket, to: path)) == ECONNREFUSED
    }
}

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
