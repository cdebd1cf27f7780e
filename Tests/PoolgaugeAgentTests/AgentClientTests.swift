import Foundation
import Testing

@testable import PoolgaugeAgent

struct AgentClientTests {
    /// Returns a client of the agent and the other end of its connection.
    private func makeClient(at now: UInt64) throws -> (client: AgentClient, peer: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        #else
        try #require(socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
        #endif
        UnixSocket.prepare(ends[0], blocks: false)
        return (AgentClient(number: 1, socket: ends[0], now: now), ends[1])
    }

    @Test func aSlowRequestHasOneTimeLimit() throws {
        let limits = AgentLimits()
        var (client, peer) = try makeClient(at: 1)
        defer { close(peer) }
        for byte in Array("GET /status".utf8) {
            _ = UnixSocket.send([byte][...], to: peer)
            client.receive()
            #expect(client.deadline(limits) == 1 + limits.requestTimeout)
        }
        #expect(client.input.count == 11)
        // After a response, the time limit starts again.
        client.send([1], now: 5, limits: limits)
        #expect(client.deadline(limits) == 5 + limits.requestTimeout)
        client.close()
    }

    @Test func anEndedConnectionDiscardsBytesUntilItsDeadline() throws {
        let limits = AgentLimits()
        var (client, peer) = try makeClient(at: 1)
        defer { close(peer) }
        client.closesAfterOutput = true
        client.send([1], now: 2, limits: limits)
        #expect(client.activity == .ended)
        #expect(client.deadline(limits) == 2 + limits.endTimeout)
        _ = UnixSocket.send([1, 2][...], to: peer)
        client.receive()
        #expect(client.input.isEmpty && !client.isClosed)
        client.start(.request, now: 3)
        #expect(client.activity == .ended)
        shutdown(peer, Int32(SHUT_WR))
        client.receive()
        #expect(client.isClosed)
    }

    @Test func stalledOutputHasADeadline() throws {
        let limits = AgentLimits()
        var (client, peer) = try makeClient(at: 1)
        defer { close(peer) }
        client.start(.events, now: 1)
        #expect(client.deadline(limits) == nil)
        while client.output.isEmpty {
            client.send([UInt8](repeating: 0, count: 65_536), now: 7, limits: limits)
        }
        client.flush(now: 8)
        #expect(client.deadline(limits) == 7 + limits.stallTimeout)
        while !client.isClosed {
            client.send([UInt8](repeating: 0, count: 65_536), now: 8, limits: limits)
            #expect(client.output.count <= limits.maximumPendingBytes + 65_536)
        }
    }
}
