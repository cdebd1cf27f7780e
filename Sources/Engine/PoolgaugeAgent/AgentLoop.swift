import Foundation
import MetricDescriptors
import Telemetry

/// The event loop of an agent or a metrics server, which serves all clients on one thread.
///
/// The thread sleeps in `poll` without a timeout while no client is connected.
struct AgentLoop {
    let listener: Int32
    let mailbox: Mailbox
    let limits: AgentLimits
    /// A closure that returns whether to serve the client of a new connection.
    let admits: (Int32) -> Bool
    /// A closure that returns the response to a request.
    let respond: (HTTPRequest) -> HTTPAnswer
    private var clients: [AgentClient] = []
    private var nextNumber = 0
    /// The earliest time to accept clients again after `accept` fails.
    private var acceptsAfter: UInt64 = 0

    init(
        listener: Int32,
        mailbox: Mailbox,
        limits: AgentLimits,
        admits: @escaping (Int32) -> Bool,
        respond: @escaping (HTTPRequest) -> HTTPAnswer
    ) {
        self.listener = listener
        self.mailbox = mailbox
        self.limits = limits
        self.admits = admits
        self.respond = respond
    }

    /// Serves clients until the mailbox is stopped.
    mutating func run() {
        defer {
            close(listener)
            for index in clients.indices { clients[index].close() }
        }
        while true {
            let accepts = acceptsAfter <= monotonicNanoseconds()
            var polled = [
                pollfd(fd: mailbox.readEnd, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: accepts ? Int16(POLLIN) : 0, revents: 0),
            ]
            polled += clients.map { pollfd(fd: $0.socket, events: $0.interest, revents: 0) }
            if poll(&polled, nfds_t(polled.count), timeout(accepts)) < 0, errno != EINTR {
                // Without a pause, the loop would spin while the process has too little memory.
                usleep(100_000)
            }
            guard let messages = mailbox.take() else { return }
            let now = monotonicNanoseconds()
            for (index, state) in polled.dropFirst(2).enumerated() where state.revents != 0 {
                serve(index, events: Int32(state.revents), at: now)
            }
            deliver(messages, at: now)
            for index in clients.indices where clients[index].deadline(limits) ?? .max <= now {
                clients[index].close()
            }
            clients.removeAll(where: \.isClosed)
            if polled[1].revents != 0 { accept(now) }
        }
    }

    /// Returns the timeout of `poll` in milliseconds, or -1 if there is no deadline.
    private func timeout(_ accepts: Bool) -> Int32 {
        var deadlines = clients.compactMap { $0.deadline(limits) }
        if !accepts { deadlines.append(acceptsAfter) }
        guard let first = deadlines.min() else { return -1 }
        let now = monotonicNanoseconds()
        return first <= now ? 0 : Int32(clamping: (first - now) / 1_000_000 + 1)
    }

    private mutating func accept(_ now: UInt64) {
        let socket = UnixSocket.accept(from: listener)
        guard socket >= 0 else {
            // Without a pause, the loop would spin while the process has no free descriptor or
            // memory.
            if ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) {
                acceptsAfter = now + 1_000_000_000
            }
            return
        }
        if let size = limits.sendBufferSize {
            UnixSocket.setOption(SO_SNDBUF, to: size, of: socket)
        }
        guard admits(socket) else {
            close(socket)
            return
        }
        nextNumber += 1
        var client = AgentClient(number: nextNumber, socket: socket, now: now)
        let active = clients.count { $0.activity != .ended }
        if active >= limits.maximumClientCount {
            let message =
                "the server already has its maximum of \(limits.maximumClientCount) clients"
            client.closesAfterOutput = true
            client.send(
                HTTPResponse.failure(503, message: message, closes: true),
                now: now,
                limits: limits
            )
            if clients.count - active >= limits.maximumEndedCount { client.close() }
        }
        if !client.isClosed { clients.append(client) }
    }

    private mutating func serve(_ index: Int, events: Int32, at now: UInt64) {
        if events & Int32(POLLOUT) != 0 {
            clients[index].flush(now: now)
        } else if events & Int32(POLLIN) != 0 {
            clients[index].receive()
        } else {
            clients[index].close()
        }
        answerRequests(of: index, now)
    }

    /// Answers the received requests, one at a time.
    ///
    /// The next request waits until the output has been sent, so the output stays bounded.
    private mutating func answerRequests(of index: Int, _ now: UInt64) {
        while clients[index].activity == .request, !clients[index].isClosed,
            clients[index].interest & Int16(POLLOUT) == 0
        {
            switch HTTPRequestParser.parse(clients[index].input) {
            case .incomplete: return
            case .invalid(let status):
                clients[index].input = []
                clients[index].closesAfterOutput = true
                let reason = HTTPResponse.reason(status)
                send(
                    HTTPResponse.failure(status, message: reason, closes: true),
                    to: index,
                    at: now
                )
            case .request(let request, let length):
                clients[index].input.removeFirst(length)
                clients[index].closesAfterOutput = request.closesConnection
                answer(request, to: index, at: now)
            }
        }
    }

    private mutating func answer(_ request: HTTPRequest, to index: Int, at now: UInt64) {
        switch respond(request) {
        case .complete(let bytes): send(bytes, to: index, at: now)
        case .events(let events):
            clients[index].start(.events, now: now)
            clients[index].closesAfterOutput = false
            // Subscribe before sending the head, so that a client that has received the head misses
            // no events.
            let stream = events()
            let number = clients[index].number
            clients[index].task = Task { [mailbox] in
                await mailbox.post(stream, to: number)
            }
            // If the client has already closed the connection, sending cancels the task.
            let header = Array("{\"schema\":\"poolgauge.agent-events/1\"}\n".utf8)
            send(HTTPResponse.streamHead + HTTPResponse.chunk(header), to: index, at: now)
        case .checkpoint(let checkpoint):
            clients[index].start(.checkpoint, now: now)
            let number = clients[index].number
            let closes = request.closesConnection
            // Run the checkpoint asynchronously, because it waits for the writer.
            clients[index].task = Task { [mailbox] in
                let bytes: [UInt8]
                do {
                    let line = AgentService.line(try await checkpoint())
                    bytes = HTTPResponse.complete(200, body: line ?? [], closes: closes)
                } catch {
                    bytes = HTTPResponse.failure(
                        503,
                        message: "the checkpoint failed",
                        closes: closes
                    )
                }
                mailbox.post(Mailbox.Message(client: number, bytes: bytes, isLast: true))
            }
        }
    }

    private mutating func deliver(_ messages: [Mailbox.Message], at now: UInt64) {
        for message in messages {
            guard let index = clients.firstIndex(where: { $0.number == message.client }) else {
                continue
            }
            if message.isLast {
                if clients[index].activity == .events { clients[index].closesAfterOutput = true }
                clients[index].start(.request, now: now)
            }
            send(message.bytes, to: index, at: now)
            if message.isLast { answerRequests(of: index, now) }
        }
    }

    private mutating func send(_ bytes: [UInt8], to index: Int, at now: UInt64) {
        clients[index].send(bytes, now: now, limits: limits)
    }
}

/// The operations on a database that an agent offers.
struct AgentService: Sendable {
    /// The name of the agent.
    var name: String
    /// Whether clients may interrupt statements and request checkpoints.
    var allowsControl: Bool
    private let database: any StatusReporting
    private let metrics = MetricText()
    /// The time when the agent started, on the monotonic clock.
    private let start = monotonicNanoseconds()

    init(_ database: some StatusReporting, name: String, allowsControl: Bool) {
        self.database = database
        self.name = name
        self.allowsControl = allowsControl
    }

    private func events() -> AsyncStream<ConnectionEvent> {
        database.events(slowerThan: .milliseconds(100), buffering: 256)
    }

    private func checkpoint() async throws -> AgentCheckpoint {
        let result = try await database.passiveCheckpoint()
        return AgentCheckpoint(frames: result.frames, checkpointed: result.checkpointed)
    }

    /// The paths that an agent serves.
    private enum Path: String, CaseIterable {
        case status = "/status"
        case events = "/events"
        case metrics = "/metrics"
        case interrupt = "/interrupt"
        case checkpoint = "/checkpoint"

        var isControl: Bool { self == .interrupt || self == .checkpoint }

        var method: String { isControl ? "POST" : "GET" }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let closes = request.closesConnection
        guard let path = Path(rawValue: request.target) else {
            let paths = Path.allCases.map(\.rawValue).joined(separator: ", ")
            let message = "the agent serves \(paths)"
            return .complete(HTTPResponse.failure(404, message: message, closes: closes))
        }
        guard request.method == path.method else {
            let message = "\(path.rawValue) supports only \(path.method)"
            return .complete(
                HTTPResponse.failure(405, message: message, allowed: path.method, closes: closes)
            )
        }
        if path.isControl, !allowsControl {
            let message = "the program does not allow control"
            return .complete(HTTPResponse.failure(403, message: message, closes: closes))
        }
        switch path {
        case .status: return .complete(statusResponse(closes: closes))
        case .events: return .events(events)
        case .metrics:
            let text = metrics.text(DatabaseMetric.all, of: [database.status()])
            return .complete(HTTPResponse.metrics(text, closes: closes))
        case .interrupt:
            database.interrupt()
            let body = Array("{\"interrupted\":true}\n".utf8)
            return .complete(HTTPResponse.complete(200, body: body, closes: closes))
        case .checkpoint: return .checkpoint(checkpoint)
        }
    }

    private func statusResponse(closes: Bool) -> [UInt8] {
        let status = AgentStatus(
            name: name,
            process: getpid(),
            ageNanoseconds: monotonicNanoseconds() - start,
            allowsControl: allowsControl,
            database: database.status()
        )
        guard let body = Self.line(status) else {
            return HTTPResponse.failure(
                500,
                message: "the status cannot be encoded",
                closes: closes
            )
        }
        return HTTPResponse.complete(200, body: body, closes: closes)
    }

    /// Returns a value as one line of JSON, or `nil` if a number is not finite.
    static func line(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}

/// The result of a checkpoint.
struct AgentCheckpoint: Sendable, Codable, Equatable {
    /// The number of frames in the log, or -1 if the database is not in WAL mode.
    var frames: Int
    /// The number of frames that are in the database file.
    var checkpointed: Int
}
