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
        _ body: [UInt8],
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
        complete(200, Array(text.utf8), type: MetricText.mediaType, closes: closes)
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
        _ message: String,
        allowed: String? = nil,
        closes: Bool = false
    ) -> [UInt8] {
        let body = Array("{\"error\":\"\(message)\"}\n".utf8)
        return complete(status, body, allowed: allowed, closes: closes)
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
