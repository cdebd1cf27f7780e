import Foundation
import SQLiteEngine
import Testing

@testable import PoolgaugeAgent

@Suite(.timeLimit(.minutes(2)))
struct AgentTests {
    private func response(
        _ method: String,
        _ path: String,
        of agent: TestAgent
    ) throws -> (head: String, body: String) {
        let client = try agent.connect()
        client.request(method, path)
        let text = try client.receive()
        let end = try #require(text.range(of: "\r\n\r\n"))
        return (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
    }

    @Test func theStatusDescribesThePool() throws {
        let test = try TestAgent()
        let (head, body) = try response("GET", "/status", of: test)
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let status = try JSONDecoder().decode(AgentStatus.self, from: Data(body.utf8))
        #expect(status.schema == "poolgauge.agent/1")
        #expect(status.name == "app")
        #expect(status.process == getpid())
        #expect(!status.allowsControl)
        #expect(status.database.kind == .pool)
        #expect(status.database.path == test.pool.path)
        #expect(status.database.connections.first?.role == .writer)
    }

    @Test func aConnectionServesSeveralRequests() throws {
        let test = try TestAgent()
        let client = try test.connect()
        for _ in 0..<3 {
            client.request("GET", "/status", closesConnection: false)
            #expect(try client.receive(until: "}\n").hasPrefix("HTTP/1.1 200"))
        }
        // Both requests arrive before the first response.
        client.request("GET", "/first", closesConnection: false)
        client.request("GET", "/second")
        #expect(try client.receive().components(separatedBy: "HTTP/1.1 404").count == 3)
    }

    @Test func unknownPathsAndMethodsAreRefused() throws {
        let test = try TestAgent()
        #expect(try response("GET", "/other", of: test).head.hasPrefix("HTTP/1.1 404"))
        let refused = try response("POST", "/status", of: test).head
        #expect(refused.hasPrefix("HTTP/1.1 405"))
        #expect(refused.contains("\r\nAllow: GET\r\n"))
        #expect(try response("GET", "/interrupt", of: test).head.contains("\r\nAllow: POST\r\n"))
        #expect(try response("get", "/status", of: test).head.hasPrefix("HTTP/1.1 400"))
    }

    @Test func controlRequiresPermission() throws {
        let refusing = try TestAgent()
        for path in ["/interrupt", "/checkpoint"] {
            #expect(try response("POST", path, of: refusing).head.hasPrefix("HTTP/1.1 403"))
        }
        #expect(refusing.pool.status().interrupts?.requested == 0)

        let allowing = try TestAgent(allowsControl: true)
        #expect(try response("POST", "/interrupt", of: allowing).head.hasPrefix("HTTP/1.1 200"))
        #expect(allowing.pool.status().interrupts?.requested == 1)
        try allowing.pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let body = try response("POST", "/checkpoint", of: allowing).body
        let result = try JSONDecoder().decode(AgentCheckpoint.self, from: Data(body.utf8))
        #expect(result.frames > 0)
        #expect(result.checkpointed == result.frames)
    }

    @Test func aWaitingCheckpointDelaysNoOtherClient() throws {
        let test = try TestAgent(allowsControl: true)
        let waiting = try test.connect()
        try test.pool.write { _ in
            waiting.request("POST", "/checkpoint")
            let head = try response("GET", "/status", of: test).head
            #expect(head.hasPrefix("HTTP/1.1 200"))
        }
        #expect(try waiting.receive().hasPrefix("HTTP/1.1 200"))
    }

    @Test func eventsArriveAsLinesOfJSON() throws {
        let test = try TestAgent()
        let client = try test.connect()
        client.request("GET", "/events")
        let head = try client.receive(until: "poolgauge.agent-events/1\"}\n\r\n")
        #expect(head.contains("Transfer-Encoding: chunked\r\n"))
        test.pool.interrupt()
        #expect(try client.receive(until: "\n\r\n").contains("interruptRequested"))
    }

    @Test func theNinthClientIsRefusedAndTheErrorStatesTheLimit() throws {
        let test = try TestAgent()
        var clients: [TestClient] = []
        for _ in 0..<8 {
            let client = try test.connect()
            client.request("GET", "/status", closesConnection: false)
            #expect(try client.receive(until: "}\n").hasPrefix("HTTP/1.1 200"))
            clients.append(client)
        }
        // Even if the refused client has already sent a request, it must receive the 503 response,
        // not a connection reset.
        for _ in 0..<20 {
            let ninth = try test.connect()
            ninth.request("GET", "/status")
            let text = try ninth.receive(resetIsError: true)
            #expect(text.hasPrefix("HTTP/1.1 503"))
            #expect(text.hasSuffix("maximum of 8 clients\"}\n"))
        }
        // The other clients are still served.
        clients[7].request("GET", "/status")
        #expect(try clients[7].receive().hasPrefix("HTTP/1.1 200"))
    }

    @Test func endedConnectionsAreLimited() throws {
        var limits = AgentLimits()
        limits.maximumClientCount = 1
        limits.maximumEndedCount = 2
        limits.endTimeout = 60_000_000_000
        let test = try TestAgent(limits: limits)
        let first = try test.connect()
        first.request("GET", "/status", closesConnection: false)
        _ = try first.receive(until: "}\n")
        let refused = try (0..<3).map { _ in try test.connect() }
        for client in refused { #expect(try client.receive().hasPrefix("HTTP/1.1 503")) }
        // The agent keeps two ended connections and has closed the third one.
        #expect(refused[0].canSend && refused[1].canSend)
        // The response can arrive before the connection is closed.
        while refused[2].canSend {}
    }

    @Test func aClientThatStopsReadingIsDropped() throws {
        var limits = AgentLimits()
        limits.maximumClientCount = 1
        limits.maximumPendingBytes = 4_096
        limits.sendBufferSize = 4_096
        let test = try TestAgent(limits: limits)
        let stopped = try test.connect()
        stopped.request("GET", "/events")
        _ = try stopped.receive(until: "events/1\"}\n\r\n")
        // Produce events until the only slot is free again.
        for _ in 0..<100_000 {
            test.pool.interrupt()
            let next = try test.connect()
            next.request("GET", "/status")
            if try next.receive().hasPrefix("HTTP/1.1 200") { return }
        }
        Issue.record("the stopped client was not dropped")
    }

    @Test func aClientThatNeverReadsCannotExhaustMemory() throws {
        var limits = AgentLimits()
        limits.stallTimeout = 50_000_000
        limits.sendBufferSize = 4_096
        let test = try TestAgent(limits: limits)
        let client = try test.connect()
        let request = Array("GET /status HTTP/1.1\r\nHost: agent\r\n\r\n".utf8)
        var sent = 0
        while case let count = UnixSocket.send(request[...], to: client.socket), count > 0 {
            sent += count
        }
        // The system buffers what the agent has not read.
        #expect(sent < 1 << 20)
        #expect(try response("GET", "/status", of: test).head.hasPrefix("HTTP/1.1 200"))
    }

    @Test func aClientWithoutARequestIsDropped() throws {
        var limits = AgentLimits()
        limits.requestTimeout = 1_000_000
        let test = try TestAgent(limits: limits)
        #expect(try test.connect().receive() == "")
    }

    @Test func aQueueIsServed() throws {
        let test = try TestAgent()
        let queue = try DatabaseQueue(path: test.root + "/queue.sqlite")
        let agent = try Agent(
            service: AgentService(queue, name: "queue", allowsControl: true),
            folder: AgentFolder(path: test.root + "/agents")
        )
        defer { agent.stop() }
        let status = try AgentReader(path: agent.socketPath).status()
        #expect(status.name == "queue")
        #expect(status.database.kind == .queue)
        let client = try TestClient(agent.socketPath)
        client.request("GET", "/events")
        _ = try client.receive(until: "\r\n\r\n")
        queue.interrupt()
        #expect(try client.receive(until: "\n\r\n").contains("interruptRequested"))
    }

    @Test func invalidRequestsDoNotEndTheAgent() throws {
        let test = try TestAgent(allowsControl: true)
        let requests = [
            "", "\r\n\r\n", "GET", "GET /status HTTP/1.1\r\nHost", "\0\u{7F}\u{FF}\r\n\r\n",
            "POST /checkpoint HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n0123",
            "GET /status HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        ]
        for request in requests {
            let client = try test.connect()
            _ = UnixSocket.send(Array(request.utf8)[...], to: client.socket)
            shutdown(client.socket, Int32(SHUT_WR))
            let text = try client.receive()
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 "))
        }
        #expect(try response("GET", "/status", of: test).head.hasPrefix("HTTP/1.1 200"))
    }

    @Test(.enabled(if: access("/usr/bin/curl", X_OK) == 0, "requires curl"))
    func curlReadsTheStatus() throws {
        let test = try TestAgent(allowsControl: true)
        func curl(_ arguments: [String]) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
            process.arguments =
                ["--silent", "--show-error", "--unix-socket", test.agent.socketPath] + arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return String(decoding: data, as: UTF8.self)
        }
        let body = Data(try curl(["http://agent/status"]).utf8)
        #expect(try JSONDecoder().decode(AgentStatus.self, from: body).name == "app")
        #expect(try curl(["http://agent/metrics"]).contains("db_client_connection_max{"))
        let checkpoint = try curl(["--request", "POST", "http://agent/checkpoint"])
        #expect(checkpoint.hasPrefix("{\"checkpointed\":"))
    }

    @Test func anotherUserIsRefused() throws {
        let test = try TestAgent(user: geteuid() + 1)
        let client = try test.connect()
        client.request("GET", "/status")
        #expect(try client.receive() == "")
    }

    /// Another user's process cannot open the socket.
    ///
    /// If the permissions are relaxed so that it can, the agent still does not serve it.
    @Test(
        .enabled(
            if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0,
            "requires root and setpriv"
        )
    )
    func aProcessOfAnotherUserIsNotServed() throws {
        let test = try TestAgent()
        let path = test.agent.socketPath
        #expect(try outputOfAnotherUser(connectingTo: path) == "Permission denied\n")
        for (file, mode) in [
            (test.root, 0o755), (test.root + "/agents", 0o755), (path, 0o666),
        ] as [(String, mode_t)] {
            #expect(chmod(file, mode) == 0)
        }
        #expect(try outputOfAnotherUser(connectingTo: path) == "0 bytes\n")
        #expect(try response("GET", "/status", of: test).head.hasPrefix("HTTP/1.1 200"))
    }

    /// Requests a status as the user `nobody`, and returns the outcome.
    private func outputOfAnotherUser(connectingTo path: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        let python = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(sys.argv[1])
                s.sendall(b"GET /status HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
                print(len(s.recv(65536)), "bytes")
            except ConnectionError:
                print("0 bytes")
            except OSError as error:
                print(error.strerror)
            """
        process.arguments = [
            "--reuid", "65534", "--clear-groups", "/usr/bin/python3", "-c", python, path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func theSocketBelongsToTheUserAndIsRemovedAtTheEnd() throws {
        let test = try TestAgent()
        let path = test.agent.socketPath
        #expect(path.hasSuffix("/agents/app-\(getpid()).sock"))
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        #expect(status.st_mode & 0o7777 == 0o600)
        let client = try test.connect()
        client.request("GET", "/status", closesConnection: false)
        _ = try client.receive(until: "}\n")
        test.agent.stop()
        #expect(lstat(path, &status) != 0)
        #expect(try client.receive() == "")
    }

    @Test func aSecondAgentNeedsAnotherName() throws {
        let test = try TestAgent()
        let folder = AgentFolder(path: test.root + "/agents")
        let service = AgentService(test.pool, name: "app", allowsControl: false)
        #expect(throws: AgentError.self) { _ = try Agent(service: service, folder: folder) }
        #expect(try response("GET", "/status", of: test).head.hasPrefix("HTTP/1.1 200"))
        for name in ["", "a/b", ".a", "a b", String(repeating: "a", count: 33)] {
            let service = AgentService(test.pool, name: name, allowsControl: false)
            #expect(throws: AgentError.self) { _ = try Agent(service: service, folder: folder) }
        }
    }

    @Test func derivedNamesAreNumbered() throws {
        let test = try TestAgent()
        let folder = AgentFolder(path: test.root + "/agents")
        let first = Agent.unusedName
        let service = AgentService(test.pool, name: first, allowsControl: false)
        let agent = try Agent(service: service, folder: folder)
        let second = Agent.unusedName
        #expect(second.hasSuffix("-2"))
        #expect(AgentSocket.isValid(name: second))
        agent.stop()
        #expect(Agent.unusedName == first)
    }

    @Test func anAgentStartsOnlyOnRequest() throws {
        let test = try TestAgent()
        #expect(ProcessInfo.processInfo.environment["POOLGAUGE_AGENT"] == nil)
        #expect(try Agent.startIfRequested(test.pool) == nil)
    }

    /// Returns the folder for ``exitRemovesTheSocket()``.
    ///
    /// The test's child process derives the same path from the ID of its parent process.
    private static func exitFolder(of process: pid_t) -> String { "/tmp/pga-exit-\(process)" }

    @Test func exitRemovesTheSocket() async throws {
        let folder = Self.exitFolder(of: getpid())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        await #expect(processExitsWith: .exitCode(17)) {
            let folder = AgentFolder(path: AgentTests.exitFolder(of: getppid()))
            let queue = try DatabaseQueue()
            let service = AgentService(queue, name: "exit", allowsControl: false)
            let agent = try Agent(service: service, folder: folder)
            guard folder.sockets().map(\.path) == [agent.socketPath] else { exit(1) }
            exit(17)
        }
        #expect(FileManager.default.fileExists(atPath: folder))
        #expect(AgentFolder(path: folder).sockets() == [])
    }
}
