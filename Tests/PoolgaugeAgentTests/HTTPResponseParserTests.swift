import Foundation
import Testing

@testable import PoolgaugeAgent

struct HTTPResponseParserTests {
    private let valid = HTTPResponse.complete(200, Array("{}\n".utf8))

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

    @Test func mutatedResponsesNeverTrap() throws {
        let test = try TestAgent()
        let client = try test.connect()
        client.request("GET", "/status")
        let status = Array(try client.receive().utf8)
        var random = SeededRandom(state: 21)
        var outcomes: [String: Int] = [:]
        for index in 0..<mutationCount {
            // Most of the changes affect the short response.
            let bytes = random.mutated(index % 50 == 0 ? status : valid)
            switch HTTPResponseParser.parse(bytes) {
            case .incomplete: outcomes["incomplete", default: 0] += 1
            case .invalid: outcomes["invalid", default: 0] += 1
            case .response(_, let body):
                outcomes["response", default: 0] += 1
                _ = try? JSONDecoder().decode(AgentStatus.self, from: Data(body))
            }
        }
        #expect(outcomes.count == 3)
    }
}
