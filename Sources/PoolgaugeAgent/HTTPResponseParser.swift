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
