import Telemetry

/// A strict parser of HTTP/1.1 requests with bounded sizes.
///
/// RFC 9112 defines the grammar. The parser rejects bare line feeds, folded headers and transfer
/// encodings, so each request has exactly one interpretation.
enum HTTPRequestParser {
    /// The maximum size of the request line and the headers, in bytes.
    static let maximumHeadSize = 8_192
    /// The maximum size of a body, in bytes.
    static let maximumBodySize = 1_024
    /// The maximum number of headers.
    static let maximumHeaderCount = 64

    /// The maximum size of a request, in bytes.
    static let maximumRequestSize = maximumHeadSize + maximumBodySize

    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")

    /// Parses the request at the beginning of `bytes`.
    static func parse(_ bytes: [UInt8]) -> HTTPParseResult {
        guard let headEnd = endOfHead(in: bytes) else {
            return bytes.count >= maximumHeadSize ? .invalid(status: 431) : .incomplete
        }
        guard headEnd <= maximumHeadSize else { return .invalid(status: 431) }
        // Exclude the empty line that ends the head.
        let head = bytes[..<(headEnd - 2)]
        guard let lines = lines(of: head), let first = lines.first else {
            return .invalid(status: 400)
        }
        guard lines.count - 1 <= maximumHeaderCount else { return .invalid(status: 431) }
        switch requestLine(first) {
        case .failure(let failure): return .invalid(status: failure.status)
        case .success(let line):
            switch Headers.parse(lines.dropFirst()) {
            case .failure(let failure): return .invalid(status: failure.status)
            case .success(let headers):
                let length = headEnd + headers.bodyLength
                guard bytes.count >= length else { return .incomplete }
                let request = HTTPRequest(
                    method: line.method,
                    target: line.target,
                    host: headers.host,
                    closesConnection: headers.closesConnection
                )
                return .request(request, length: length)
            }
        }
    }

    private struct Failure: Error { var status: Int }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let end = min(bytes.count, maximumHeadSize + 4)
        for index in 0..<(end - 3)
        where bytes[index] == carriageReturn && bytes[index + 1] == lineFeed
            && bytes[index + 2] == carriageReturn && bytes[index + 3] == lineFeed
        {
            return index + 4
        }
        return nil
    }

    /// Returns the lines without their line endings, or `nil` if a line contains a CR, LF or NUL.
    private static func lines(of head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var lines: [ArraySlice<UInt8>] = []
        var start = head.startIndex
        while start < head.endIndex {
            guard let end = head[start...].firstIndex(of: carriageReturn),
                end + 1 < head.endIndex, head[end + 1] == lineFeed
            else { return nil }
            let line = head[start..<end]
            guard !line.contains(lineFeed), !line.contains(0) else { return nil }
            lines.append(line)
            start = end + 2
        }
        return lines
    }

    private static func requestLine(
        _ line: ArraySlice<UInt8>
    ) -> Result<(method: String, target: String), Failure> {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, (1...16).contains(parts[0].count),
            parts[0].allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
            parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .failure(Failure(status: 400)) }
        guard parts[2].elementsEqual("HTTP/1.1".utf8) else {
            let isHTTP = parts[2].starts(with: "HTTP/".utf8)
            return .failure(Failure(status: isHTTP ? 505 : 400))
        }
        return .success(
            (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
        )
    }

    private struct Headers {
        var bodyLength = 0
        var host = ""
        var closesConnection = false

        static func parse(_ lines: ArraySlice<ArraySlice<UInt8>>) -> Result<Headers, Failure> {
            var headers = Headers()
            var hostCount = 0
            var lengthCount = 0
            for line in lines {
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                    line[..<colon].allSatisfy(isTokenByte),
                    line[(colon + 1)...].allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
                else { return .failure(Failure(status: 400)) }
                let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
                let value = trimmed(line[(colon + 1)...])
                switch name {
                case "host":
                    hostCount += 1
                    headers.host = String(decoding: value, as: UTF8.self)
                case "connection":
                    let text = String(decoding: value, as: UTF8.self).lowercased()
                    if text == "close" { headers.closesConnection = true }
                case "transfer-encoding": return .failure(Failure(status: 501))
                case "content-length":
                    lengthCount += 1
                    let isNumber = value.allSatisfy { (0x30...0x39).contains($0) }
                    guard lengthCount == 1, isNumber, !value.isEmpty else {
                        return .failure(Failure(status: 400))
                    }
                    guard let length = Int(String(decoding: value, as: UTF8.self)),
                        length <= maximumBodySize
                    else { return .failure(Failure(status: 413)) }
                    headers.bodyLength = length
                default: break
                }
            }
            // RFC 9112, section 3.2: a request without exactly one Host is invalid.
            return hostCount == 1 ? .success(headers) : .failure(Failure(status: 400))
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}

/// A request that an agent received.
struct HTTPRequest: Equatable, Sendable {
    /// The method, such as `GET`.
    var method: String
    /// The path with its query, such as `/status`.
    var target: String
    /// The value of the `Host` header, such as `localhost:9719`.
    var host: String
    /// Whether the client requests that the connection be closed after the response.
    var closesConnection: Bool
}

/// The result of parsing the bytes that a client has sent so far.
enum HTTPParseResult: Equatable, Sendable {
    /// The request is incomplete, and its beginning is valid.
    case incomplete
    /// A complete request, which occupies the first `length` bytes.
    case request(HTTPRequest, length: Int)
    /// An invalid request, with the status of the response.
    case invalid(status: Int)
}

/// A type that encodes responses.
enum HTTPResponse {
    /// Returns a complete response with a body.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - body: The bytes of the body.
    ///   - type: The media type of the body.
    ///   - allowed: The only method that the path supports, for the status 405.
    ///   - closes: Whether the connection closes after the response.
    /// - Returns: The bytes of the response.
    static func complete(
        _ status: Int,
        body: [UInt8],
        type: String = "application/json",
        allowed: String? = nil,
        closes: Bool = false
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason(status))\r\n"
        head += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        head += "Cache-Control: no-store\r\n"
        if let allowed { head += "Allow: \(allowed)\r\n" }
        if closes { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    /// Returns a response with metrics.
    static func metrics(_ text: String, closes: Bool) -> [UInt8] {
        complete(200, body: Array(text.utf8), type: MetricText.mediaType, closes: closes)
    }

    /// Returns a response that explains a failure.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - message: An explanation, without characters that JSON escapes.
    ///   - allowed: The only method that the path supports, for the status 405.
    ///   - closes: Whether the connection closes after the response.
    /// - Returns: The bytes of the response.
    static func failure(
        _ status: Int,
        message: String,
        allowed: String? = nil,
        closes: Bool = false
    ) -> [UInt8] {
        let body = Array("{\"error\":\"\(message)\"}\n".utf8)
        return complete(status, body: body, allowed: allowed, closes: closes)
    }

    /// The head of a chunked response that streams JSON lines.
    static let streamHead = Array(
        """
        HTTP/1.1 200 OK\r
        Content-Type: application/x-ndjson\r
        Transfer-Encoding: chunked\r
        Cache-Control: no-store\r
        \r

        """.utf8
    )

    /// The final chunk of a stream.
    static let streamEnd = Array("0\r\n\r\n".utf8)

    /// Returns a chunk of a stream.
    static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    /// Returns the reason phrase of a status.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Bad Request"
        }
    }
}

/// The response to a request.
enum HTTPAnswer {
    case complete([UInt8])
    /// A stream of events, which starts when the closure is called.
    case events(() -> AsyncStream<ConnectionEvent>)
    /// A checkpoint, whose result is sent when the closure returns.
    case checkpoint(@Sendable () async throws -> AgentCheckpoint)
}
