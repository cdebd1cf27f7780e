import Foundation
import Testing

@testable import PoolgaugeAgent

struct HTTPResponseParserTests {
    private let valid = HTTPResponse.complete(200, body: Array("{}\n".utf8))

    @Test func aResponseIsCompleteAfterItsBody() {
        for count in 0..<valid.count {
            #expect(HTTPResponseParser.parse(Array(valid.prefix(count))) == .incomplete)
        }
        let expected = HTTPResponseParser.Result.response(status: 200, body: Array("{}\n".utf8))
        #expect(HTTPResponseParser.parse(valid) == expected)
    }

    @Test(arguments: [
        "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n",
    ])
    func anInvalidResponseIsRefused(text: String) {
        guard case .invalid = HTTPResponseParser.parse(Array(text.utf8)) else {
            Issue.record("\(text) was accepted")
            return
        }
    }
}
