import Foundation
import SQLiteEngine
import Testing

@testable import PoolgaugeAgent

/// A pool and an agent in a separate folder.
final class TestAgent {
    let root: String
    let pool: DatabasePool
    let agent: Agent

    init(
        allowsControl: Bool = false,
        limits: AgentLimits = AgentLimits(),
        user: uid_t = geteuid()
    ) throws {
        root = try Self.makeFolder()
        pool = try DatabasePool(path: root + "/test.sqlite")
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        agent = try Agent(
            service: AgentService(pool, name: "app", allowsControl: allowsControl),
            folder: AgentFolder(path: root + "/agents"),
            limits: limits,
            user: user
        )
    }

    deinit {
        agent.stop()
        try? FileManager.default.removeItem(atPath: root)
    }

    func connect() throws -> TestClient { try TestClient(agent.socketPath) }

    /// Creates a folder with a short path, because the path of a socket has at most about 100
    /// bytes.
    static func makeFolder() throws -> String {
        var template = Array("/tmp/pga-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw AgentError("mkdtemp") }
        return String(cString: path)
    }
}

/// A blocking client that fails instead of waiting longer than ten seconds.
final class TestClient {
    let socket: Int32

    init(_ path: String) throws {
        socket = try UnixSocket.make()
        var timeout = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
        let failure = try UnixSocket.connect(socket, to: path)
        guard failure == 0 else { throw AgentError(UnixSocket.description(of: failure)) }
    }

    deinit { close(socket) }

    func request(_ method: String, _ path: String, closesConnection: Bool = true) {
        let end = closesConnection ? "Connection: close\r\n\r\n" : "\r\n"
        let text = "\(method) \(path) HTTP/1.1\r\nHost: agent\r\n" + end
        _ = UnixSocket.send(Array(text.utf8)[...], to: socket)
    }

    /// Whether the connection is still open.
    var canSend: Bool { UnixSocket.send([0][...], to: socket) == 1 }

    /// Receives until the received text contains `end`, or until the agent closes the connection.
    func receive(until end: String? = nil, resetIsError: Bool = false) throws -> String {
        var received: [UInt8] = []
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let end, text.contains(end) { return text }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &bytes, bytes.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET && !resetIsError { return text }
            guard count > 0 else { throw AgentError("\(UnixSocket.lastError) after: \(text)") }
            received += bytes[..<count]
        }
    }
}
