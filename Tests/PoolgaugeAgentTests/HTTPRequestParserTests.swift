import Testing

@testable import PoolgaugeAgent

struct HTTPRequestParserTests {
    private let valid = "GET /status HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n"

    private func parse(_ text: String) -> HTTPParseResult {
        HTTPRequestParser.parse(Array(text.utf8))
    }

    private func status(_ text: String) -> Int? {
        if case .invalid(let status) = parse(text) { status } else { nil }
    }

    @Test func aRequestIsCompleteAfterItsEmptyLine() {
        for count in 0..<valid.utf8.count {
            // The test removes UTF-8 bytes, because CR LF is a single `Character`.
            let bytes = Array(valid.utf8.prefix(count))
            #expect(HTTPRequestParser.parse(bytes) == .incomplete)
        }
        let request = HTTPRequest(
            method: "GET",
            target: "/status",
            host: "localhost",
            closesConnection: false
        )
        // A second request does not change the first one.
        #expect(parse(valid + valid) == .request(request, length: valid.utf8.count))
    }

    @Test func theBodyBelongsToTheRequest() {
        let head = "POST /interrupt HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
        #expect(parse(head + "ab") == .incomplete)
        let request = HTTPRequest(
            method: "POST",
            target: "/interrupt",
            host: "x",
            closesConnection: false
        )
        #expect(parse(head + "abc") == .request(request, length: head.utf8.count + 3))
    }

    @Test func aConnectionHeaderClosesTheConnection() {
        let text = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n"
        let request = HTTPRequest(
            method: "GET",
            target: "/",
            host: "x",
            closesConnection: true
        )
        #expect(parse(text) == .request(request, length: text.utf8.count))
    }

    @Test(arguments: [
        ("get / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET status HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: x\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\nA: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1025\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        ("\r\n\r\n", 400),
    ])
    func anInvalidRequestIsRefused(text: String, expected: Int) {
        #expect(status(text) == expected)
    }

    @Test func theHeadIsLimited() {
        #expect(status(String(repeating: "a", count: HTTPRequestParser.maximumHeadSize)) == 431)
        let header = "A: b\r\n"
        let many = String(repeating: header, count: HTTPRequestParser.maximumHeaderCount)
        #expect(status("GET / HTTP/1.1\r\nHost: x\r\n" + many + "\r\n") == 431)
    }
}
