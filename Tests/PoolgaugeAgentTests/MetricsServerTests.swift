import Foundation
import Synchronization
import Testing

@testable import PoolgaugeAgent

@Suite(.timeLimit(.minutes(2)))
struct MetricsServerTests {
    /// A blocking TCP client that fails instead of waiting longer than ten seconds.
    private final class Client {
        let socket: Int32

        init(_ address: ListenAddress) throws {
            #if canImport(Glibc)
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
            socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
            #endif
            var timeout = timeval(tv_sec: 10, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, size)
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = address.port.bigEndian
            system.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: system) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else { throw AgentError(UnixSocket.lastError) }
        }

        deinit { close(socket) }

        func send(_ text: String) { _ = UnixSocket.send(Array(text.utf8)[...], to: socket) }

        func request(
            _ target: String = "/metrics",
            method: String = "GET",
            host: String = "localhost",
            closesConnection: Bool = true
        ) {
            let end = closesConnection ? "Connection: close\r\n\r\n" : "\r\n"
            send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n" + end)
        }

        func receive(until end: String? = nil) throws -> String {
            var received: [UInt8] = []
            while true {
                let text = String(decoding: received, as: UTF8.self)
                if let end, text.contains(end) { return text }
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = recv(socket, &bytes, bytes.count, 0)
                if count == 0 || count < 0 && errno == ECONNRESET { return text }
                guard count > 0 else { throw AgentError("\(UnixSocket.lastError) after: \(text)") }
                received += bytes[..<count]
            }
        }
    }

    private func start(
        _ address: String = "127.0.0.1:0",
        limits: AgentLimits = AgentLimits(),
        text: @escaping @Sendable () -> String = { "a 1\n" }
    ) throws -> MetricsServer {
        try MetricsServer(on: try #require(ListenAddress(address)), limits: limits, text: text)
    }

    private func response(
        of server: MetricsServer,
        _ target: String = "/metrics",
        method: String = "GET",
        host: String = "localhost"
    ) throws -> String {
        let client = try Client(server.address)
        client.request(target, method: method, host: host)
        return try client.receive()
    }

    @Test func theTextIsServedAtASelectedPort() throws {
        let number = Atomic(0)
        let server = try start { "a \(number.wrappingAdd(1, ordering: .relaxed).newValue)\n" }
        #expect(server.address.port > 0)
        #expect(server.url == "http://127.0.0.1:\(server.address.port)/metrics")
        let text = try response(of: server)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        #expect(text.hasSuffix("\r\n\r\na 1\n"))
        #expect(try response(of: server).hasSuffix("a 2\n"))
    }

    @Test func onlyTheMetricsAreServed() throws {
        let server = try start()
        #expect(try response(of: server, "/").hasPrefix("HTTP/1.1 404"))
        #expect(try response(of: server, "/status").hasPrefix("HTTP/1.1 404"))
        let post = try response(of: server, method: "POST")
        #expect(post.hasPrefix("HTTP/1.1 405"))
        #expect(post.contains("\r\nAllow: GET\r\n"))
    }

    @Test func aHostOtherThanThisMachineIsRefused() throws {
        let isQueried = Atomic(false)
        let server = try start {
            isQueried.store(true, ordering: .relaxed)
            return ""
        }
        for host in ["attacker.example", "attacker.example:9719", "192.168.1.5"] {
            #expect(try response(of: server, host: host).hasPrefix("HTTP/1.1 403"))
        }
        let wasQueried = isQueried.load(ordering: .relaxed)
        #expect(!wasQueried)
        #expect(try response(of: server, host: "127.0.0.1:1").hasPrefix("HTTP/1.1 200"))
        #expect(try response(of: server, host: "[::1]").hasPrefix("HTTP/1.1 200"))
    }

    @Test func aPortInUseIsReported() throws {
        let server = try start()
        let error = #expect(throws: AgentError.self) {
            _ = try start("127.0.0.1:\(server.address.port)")
        }
        let text = "cannot listen on \(server.address): the port is in use; specify another port"
        #expect(error?.description.hasPrefix(text) == true)
    }

    @Test func anAddressOfAnotherMachineIsReported() throws {
        // A documentation address (RFC 5737), which no machine has.
        let error = #expect(throws: AgentError.self) { _ = try start("192.0.2.1:0") }
        #expect(error?.description.contains("this machine has no such address") == true)
    }

    @Test func thePortIsFreeAfterTheEnd() throws {
        let first = try start()
        let address = first.address.description
        _ = try response(of: first)
        let openClient = try Client(first.address)
        openClient.request(closesConnection: false)
        _ = try openClient.receive(until: "a 1\n")
        first.stop()
        // The server's thread closes the connections and then ends.
        #expect(try openClient.receive() == "")
        var second: MetricsServer?
        while second == nil { second = try? start(address) }
        #expect(try second.map { try response(of: $0) }?.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test func theNinthClientIsRefused() throws {
        let server = try start()
        var clients: [Client] = []
        for _ in 0..<8 {
            let client = try Client(server.address)
            client.request(closesConnection: false)
            _ = try client.receive(until: "a 1\n")
            clients.append(client)
        }
        #expect(try response(of: server).hasPrefix("HTTP/1.1 503"))
        clients[0].request()
        #expect(try clients[0].receive().hasSuffix("a 1\n"))
        #expect(try response(of: server).hasPrefix("HTTP/1.1 200"))
    }

    @Test func stalledClientsAreDropped() throws {
        var limits = AgentLimits()
        limits.maximumClientCount = 1
        limits.requestTimeout = 20_000_000
        limits.stallTimeout = 20_000_000
        limits.sendBufferSize = 4_096
        let text = String(repeating: "a 1\n", count: 200_000)
        let server = try start(limits: limits) { text }
        // This client never completes its request.
        let silent = try Client(server.address)
        silent.send("GET /metrics HTTP/1.1\r\n")
        #expect(try silent.receive() == "")
        // This client does not read its response.
        let stalled = try Client(server.address)
        stalled.request(closesConnection: false)
        while try !response(of: server).hasPrefix("HTTP/1.1 200") {}
    }
}
