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
