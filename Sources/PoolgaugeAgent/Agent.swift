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
