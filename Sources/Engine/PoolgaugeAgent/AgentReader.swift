import Foundation
import Telemetry

/// A client that opens a new connection to an agent for each request.
package struct AgentReader: Sendable {
    /// The path of the agent's socket.
    package var path: String
    /// The time limit for a request, in nanoseconds.
    package var timeout: UInt64 = 2_000_000_000

    /// Creates a client of the agent with the given socket.
    package init(path: String) { self.path = path }

    /// Requests the agent's status.
    ///
    /// - Returns: The status, and its JSON as the agent sent it.
    /// - Throws: ``AgentError`` if the agent does not respond within ``timeout``, rejects the
    ///   request, or uses a different format.
    package func statusWithJSON() throws(AgentError) -> (status: AgentStatus, json: String) {
        let body = try get("/status")
        let data = Data(body)
        let decoder = JSONDecoder()
        let found = (try? decoder.decode(Schema.self, from: data))?.schema
        guard found == AgentStatus.currentSchema else {
            throw AgentError(
                "the agent at \(path) uses "
                    + (found.map { "the format '\($0.prefix(64))'" } ?? "an unknown format")
                    + "; this version reads '\(AgentStatus.currentSchema)'"
            )
        }
        do {
            let status = try decoder.decode(AgentStatus.self, from: data)
            return (status, String(decoding: body, as: UTF8.self))
        } catch {
            throw AgentError(
                "the agent at \(path) sent an invalid status: \(Self.reason(error))"
            )
        }
    }

    /// Requests the agent's status, as in ``statusWithJSON()``.
    package func status() throws(AgentError) -> AgentStatus { try statusWithJSON().status }

    private struct Schema: Decodable { var schema: String }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, _): return "'\(key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            return place.isEmpty ? context.debugDescription : "the value of '\(place)' is invalid"
        @unknown default: return "\(error)"
        }
    }

    /// Sends a `POST` request without a body, and returns the body of the response.
    ///
    /// - Throws: ``AgentError``, as in ``statusWithJSON()``.
    package func post(_ target: String) throws(AgentError) -> [UInt8] {
        try request("POST", target: target)
    }

    func get(_ target: String) throws(AgentError) -> [UInt8] { try request("GET", target: target) }

    private func request(_ method: String, target: String) throws(AgentError) -> [UInt8] {
        let socket = try UnixSocket.make()
        defer { close(socket) }
        UnixSocket.prepare(socket, blocks: false)
        let failure = try UnixSocket.connect(socket, to: path)
        guard failure == 0 else {
            let reason = UnixSocket.description(of: failure)
            throw AgentError(
                "no agent is listening at \(path): \(reason); check the path, and whether the "
                    + "program is running"
            )
        }
        let end = monotonicNanoseconds() + timeout
        let length = method == "POST" ? "Content-Length: 0\r\n" : ""
        let request =
            "\(method) \(target) HTTP/1.1\r\nHost: agent\r\n\(length)Connection: close\r\n\r\n"
        // The buffer of a new connection is larger than the request.
        guard UnixSocket.send(Array(request.utf8)[...], to: socket) == request.utf8.count else {
            throw AgentError("cannot send a request to \(path): \(UnixSocket.lastError)")
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer[..<count]
                switch HTTPResponseParser.parse(received) {
                case .incomplete: break
                case .invalid(let reason): throw AgentError("\(path): \(reason)")
                case .response(let status, let body):
                    guard status == 200 else {
                        let text = String(decoding: body.prefix(256), as: UTF8.self)
                        throw AgentError(
                            "the agent at \(path) rejected the request (\(status)): \(text)"
                        )
                    }
                    return body
                }
            } else if count == 0 {
                throw AgentError("the agent at \(path) closed the connection without a response")
            } else if errno != EAGAIN && errno != EINTR {
                throw AgentError("cannot read from \(path): \(UnixSocket.lastError)")
            }
            let now = monotonicNanoseconds()
            guard now < end else {
                throw AgentError(
                    "the agent at \(path) did not respond within \(timeout / 1_000_000) ms"
                )
            }
            guard count < 0 else { continue }
            var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, Int32(clamping: (end - now) / 1_000_000 + 1))
        }
    }
}

/// A parser of HTTP/1.1 responses that have a `Content-Length` header, with bounded sizes.
enum HTTPResponseParser {
    /// The maximum size of the status line and the headers, in bytes.
    static let maximumHeadSize = 8_192
    /// The maximum size of a body, in bytes.
    static let maximumBodySize = 16 << 20

    /// The result of parsing the bytes that an agent has sent so far.
    enum Result: Equatable {
        case incomplete
        case response(status: Int, body: [UInt8])
        /// The bytes are not a response, with the reason.
        case invalid(String)
    }

    /// Parses bytes that contain one response.
    static func parse(_ bytes: [UInt8]) -> Result {
        let end = Array("\r\n\r\n".utf8)
        let limit = min(bytes.count, maximumHeadSize)
        var headEnd: Int?
        var index = 0
        while index + 4 <= limit, headEnd == nil {
            if bytes[index..<(index + 4)].elementsEqual(end) { headEnd = index }
            index += 1
        }
        guard let headEnd else {
            let start = Array("HTTP/1.1 ".utf8)
            let isResponse = zip(bytes, start).allSatisfy { $0 == $1 }
            guard isResponse else { return .invalid("the response is not HTTP/1.1") }
            return bytes.count < maximumHeadSize
                ? .incomplete : .invalid("the headers exceed \(maximumHeadSize) bytes")
        }
        let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
        // A CR followed by an LF is one character.
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { return .invalid("the response is not HTTP/1.1") }
        var length: Int?
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            let digits = parts[1].drop { $0 == " " }
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                number <= maximumBodySize, length == nil || length == number
            else { return .invalid("the length of the body is invalid") }
            length = number
        }
        guard let length else { return .invalid("the response has no length") }
        let body = bytes[(headEnd + 4)...]
        guard body.count >= length else { return .incomplete }
        return .response(status: status, body: Array(body.prefix(length)))
    }
}

/// The status that an agent reports.
public struct AgentStatus: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.agent/1"

    /// The name and version of the format, ``currentSchema``.
    public var schema = AgentStatus.currentSchema
    /// The name of the agent.
    public var name: String
    /// The process identifier.
    public var process: Int32
    /// The time since the agent started, in nanoseconds.
    public var ageNanoseconds: UInt64
    /// Whether clients may interrupt statements and request checkpoints.
    public var allowsControl: Bool
    /// The status of the database.
    public var database: DatabaseStatus

    /// Creates a status.
    package init(
        name: String,
        process: Int32,
        ageNanoseconds: UInt64,
        allowsControl: Bool,
        database: DatabaseStatus
    ) {
        self.name = name
        self.process = process
        self.ageNanoseconds = ageNanoseconds
        self.allowsControl = allowsControl
        self.database = database
    }
}

/// An error that prevents an agent from starting, or a client from communicating with an agent.
public struct AgentError: Error, Equatable, CustomStringConvertible {
    /// A description of the problem, with the path or the name that caused it.
    public var description: String

    init(_ description: String) { self.description = description }
}
