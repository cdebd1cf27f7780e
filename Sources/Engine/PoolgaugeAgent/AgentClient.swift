import Foundation

/// The state of a client's connection, which only the agent's thread uses.
struct AgentClient {
    /// The agent's activity for the client.
    enum Activity {
        /// The agent reads a request.
        case request
        /// The agent runs a checkpoint.
        case checkpoint
        /// The agent sends events.
        case events
        /// The agent has sent everything and waits for the client to close the connection.
        ///
        /// If a Unix socket is closed while it contains unread bytes, the peer receives
        /// `ECONNRESET` and may lose the response. The agent therefore discards all bytes until the
        /// client closes the connection.
        case ended
    }

    let number: Int
    let socket: Int32
    private(set) var activity = Activity.request
    var input: [UInt8] = []
    private(set) var output: [UInt8] = []
    private(set) var isClosed = false
    /// Whether the connection ends after the output has been sent.
    var closesAfterOutput = false
    /// The time when the current activity started, on the monotonic clock.
    private var activitySince: UInt64
    /// The time when bytes were last sent, or when the empty output last received bytes.
    private var sentAt: UInt64
    /// The task that posts events or a checkpoint's result.
    var task: Task<Void, Never>?

    init(number: Int, socket: Int32, now: UInt64) {
        self.number = number
        self.socket = socket
        activitySince = now
        sentAt = now
    }

    /// The events that `poll` waits for.
    var interest: Int16 {
        if !output.isEmpty { return Int16(POLLOUT) }
        return activity == .checkpoint ? 0 : Int16(POLLIN)
    }

    /// Returns the time when the connection expires, or `nil` if it does not expire.
    func deadline(_ limits: AgentLimits) -> UInt64? {
        if !output.isEmpty { return sentAt + limits.stallTimeout }
        switch activity {
        case .request: return activitySince + limits.requestTimeout
        case .ended: return activitySince + limits.endTimeout
        case .checkpoint, .events: return nil
        }
    }

    /// Starts an activity, unless the connection has ended.
    mutating func start(_ activity: Activity, now: UInt64) {
        guard self.activity != .ended else { return }
        self.activity = activity
        activitySince = now
    }

    /// Closes the connection.
    mutating func close() {
        guard !isClosed else { return }
        isClosed = true
        task?.cancel()
        Foundation.close(socket)
    }

    /// Adds bytes to the output, and sends as many as possible.
    mutating func send(_ bytes: [UInt8], now: UInt64, limits: AgentLimits) {
        guard !isClosed, activity != .ended else { return }
        if output.isEmpty { sentAt = now }
        output += bytes
        flush(now: now)
        if output.count > limits.maximumPendingBytes { close() }
    }

    /// Sends as many bytes of the output as possible.
    mutating func flush(now: UInt64) {
        var sent = 0
        defer { output.removeFirst(min(sent, output.count)) }
        while sent < output.count {
            let count = UnixSocket.send(output[sent...], to: socket)
            if count > 0 {
                sent += count
                sentAt = now
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            } else if errno != EINTR {
                return close()
            }
        }
        // Restart the time limit for the client's next request.
        if activity == .request { activitySince = now }
        if closesAfterOutput, !isClosed {
            shutdown(socket, Int32(SHUT_WR))
            start(.ended, now: now)
        }
    }

    /// Receives the bytes that the client has sent.
    mutating func receive() {
        var bytes = [UInt8](repeating: 0, count: HTTPRequestParser.maximumRequestSize)
        let count = recv(socket, &bytes, bytes.count, 0)
        if count > 0, activity == .request {
            input += bytes[..<count]
        } else if count > 0, activity == .ended {
            return
        } else if count >= 0 || errno != EAGAIN && errno != EINTR {
            // A client that sends bytes during a stream violates the protocol.
            close()
        }
    }
}

/// The limits on an agent's clients, memory use, and response times.
struct AgentLimits: Sendable {
    /// The maximum number of clients.
    var maximumClientCount = 8
    /// The maximum number of connections that the agent has ended but that clients have not closed.
    var maximumEndedCount = 16
    /// The maximum number of pending bytes for a client.
    ///
    /// A status of a large pool takes about 20 KiB.
    var maximumPendingBytes = 1 << 20
    /// The time limit for a client to accept pending bytes, in nanoseconds.
    var stallTimeout: UInt64 = 5_000_000_000
    /// The time limit for a complete request, in nanoseconds.
    ///
    /// The limit starts when the agent accepts the connection or has sent the previous response.
    var requestTimeout: UInt64 = 30_000_000_000
    /// The time that the agent waits for a client to close an ended connection, in nanoseconds.
    var endTimeout: UInt64 = 1_000_000_000
    /// The size of a client's send buffer in bytes, or `nil` for the system's default.
    var sendBufferSize: Int32?
}
