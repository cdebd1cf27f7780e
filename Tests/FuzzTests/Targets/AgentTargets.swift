@testable import PoolgaugeAgent

extension FuzzTarget {
    static let agentRequest = FuzzTarget(
        name: "agent-request",
        maximumLength: 12_000,
        seeds: [
            "GET /status HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
            "POST /checkpoint HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n0123456789ab",
            "GET /metrics HTTP/1.1\r\nHost: [::1]:9719\r\nConnection: close\r\n\r\n",
        ].map { Array($0.utf8) },
        words: [
            "\r\n", "\r\n\r\n", "GET ", "POST ", "/", " HTTP/1.1", "Host: ", "Content-Length: ",
            "Transfer-Encoding: chunked", "Connection: close", "[::1]", "127.0.0.1:1", "localhost:",
            "9223372036854775808", "\0", "\t", "%00",
        ]
    ) { bytes in
        let check = HostCheck(listeningOn: .version4(0), machine: "machine")
        switch HTTPRequestParser.parse(bytes) {
        case .request(let request, let length):
            _ = check.allows(request.host)
            guard length <= bytes.count, length <= HTTPRequestParser.maximumRequestSize else {
                throw WrongResult("the request is longer than its bytes")
            }
            guard case .request(request, length) = HTTPRequestParser.parse(Array(bytes[..<length]))
            else { throw WrongResult("the bytes after the request change it") }
        case .invalid(let status):
            guard (400...599).contains(status) else { throw WrongResult("status \(status)") }
        case .incomplete:
            guard bytes.count < HTTPRequestParser.maximumRequestSize else {
                throw WrongResult("a request of maximum length is incomplete")
            }
        }
        _ = ListenAddress(text(bytes))
        _ = check.allows(text(bytes))
    }
}
