import Foundation
import Telemetry

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An HTTP server on a TCP port that serves `GET /metrics`, with the limits of an agent.
///
/// One thread serves all clients and creates the text, so the program never waits for a client.
package final class MetricsServer: Sendable {
    /// The address, with the port that the system selected for port 0.
    package let address: ListenAddress
    private let mailbox: Mailbox

    /// The URL of the metrics.
    ///
    /// For a server that listens on all addresses, the URL contains the wildcard address.
    package var url: String { "http://\(address)\(Self.path)" }

    private static let path = "/metrics"

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - text: A closure that returns the metrics. The server calls the closure for each request,
    ///     on the server's thread.
    /// - Throws: ``AgentError`` with a remedy if the address or the port cannot be used.
    package convenience init(
        on address: ListenAddress,
        text: @escaping @Sendable () -> String
    ) throws(AgentError) {
        try self.init(on: address, limits: AgentLimits(), text: text)
    }

    init(
        on address: ListenAddress,
        limits: AgentLimits,
        text: @escaping @Sendable () -> String
    ) throws(AgentError) {
        let mailbox = try Mailbox(capacity: limits.maximumPendingBytes)
        let (listener, port) = try TCPSocket.listen(on: address)
        self.address = ListenAddress(host: address.host, port: port)
        self.mailbox = mailbox
        let check = HostCheck(listeningOn: address.host)
        Thread.detachNewThread {
            Thread.current.name = "metrics"
            var loop = AgentLoop(
                listener: listener,
                mailbox: mailbox,
                limits: limits,
                admits: { _ in true },
                respond: { .complete(Self.response(to: $0, check, text)) }
            )
            loop.run()
        }
    }

    deinit { stop() }

    /// Stops the server and closes the clients' connections.
    package func stop() { mailbox.stop() }

    private static func response(
        to request: HTTPRequest,
        _ check: HostCheck,
        _ text: () -> String
    ) -> [UInt8] {
        let closes = request.closesConnection
        guard check.allows(request.host) else {
            let message = "the Host header does not name this server; use localhost or its address"
            return HTTPResponse.failure(403, message: message, closes: closes)
        }
        guard request.target == path else {
            return HTTPResponse.failure(404, message: "the server serves \(path)", closes: closes)
        }
        guard request.method == "GET" else {
            let message = "\(path) supports only GET"
            return HTTPResponse.failure(405, message: message, allowed: "GET", closes: closes)
        }
        return HTTPResponse.metrics(text(), closes: closes)
    }
}

/// The system calls for TCP sockets.
enum TCPSocket {
    /// Listens on an address.
    ///
    /// - Parameter address: The address. Port 0 selects a free port.
    /// - Returns: The nonblocking socket and its port.
    /// - Throws: ``AgentError`` with a remedy if the address or the port cannot be used.
    static func listen(
        on address: ListenAddress
    ) throws(AgentError) -> (socket: Int32, port: UInt16) {
        let isVersion6 = if case .version6 = address.host { true } else { false }
        let family = isVersion6 ? AF_INET6 : AF_INET
        #if canImport(Glibc)
        let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let listener = socket(family, SOCK_STREAM, 0)
        #endif
        guard listener >= 0 else {
            throw AgentError("cannot create a socket for \(address): \(UnixSocket.lastError)")
        }
        do throws(AgentError) {
            UnixSocket.prepare(listener, blocks: false)
            // Without this option, the port stays in use for a minute after the server ends.
            UnixSocket.setOption(SO_REUSEADDR, to: 1, of: listener)
            if isVersion6 {
                var on: Int32 = 1
                let size = socklen_t(MemoryLayout<Int32>.size)
                setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size)
            }
            guard bind(listener, address) == 0, Foundation.listen(listener, 16) == 0 else {
                throw AgentError(problem(errno, with: address))
            }
            guard let port = port(of: listener) else {
                throw AgentError("cannot read the port of \(address): \(UnixSocket.lastError)")
            }
            return (listener, port)
        } catch {
            close(listener)
            throw error
        }
    }

    private static func bind(_ socket: Int32, _ address: ListenAddress) -> Int32 {
        func bind<Address>(_ address: Address) -> Int32 {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.bind(socket, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        switch address.host {
        case .version4(let bytes):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = address.port.bigEndian
            system.sin_addr.s_addr = bytes
            return bind(system)
        case .version6(let bytes):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = address.port.bigEndian
            withUnsafeMutableBytes(of: &system.sin6_addr) { $0.copyBytes(from: bytes) }
            return bind(system)
        }
    }

    /// Returns the port of a listening socket.
    private static func port(of socket: Int32) -> UInt16? {
        // Both address families store the port at the same offset.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length)
            }
        }
        return status == 0 ? UInt16(bigEndian: address.sin6_port) : nil
    }

    private static func problem(_ number: Int32, with address: ListenAddress) -> String {
        let remedy =
            switch number {
            case EADDRINUSE:
                "the port is in use; specify another port, or 0 to select a free port"
            case EADDRNOTAVAIL:
                "this machine has no such address; specify 127.0.0.1, or 0.0.0.0 for all addresses"
            case EACCES: "ports below 1024 require root; specify port 1024 or higher"
            default: UnixSocket.description(of: number)
            }
        return "cannot listen on \(address): \(remedy)"
    }
}

/// The address of a metrics server, such as `127.0.0.1:9719` or `[::1]:9719`.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// The address of a network interface.
    enum Host: Sendable, Equatable {
        case version4(in_addr_t)
        case version6([UInt8])
    }

    var host: Host
    /// The port, or 0 to select a free port.
    package var port: UInt16

    /// Parses an IPv4 address, an IPv6 address in brackets, or `localhost`, and a port.
    ///
    /// The result is `nil` if the text has another form.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.port(text[text.index(after: colon)...]),
            let host = Host(String(text[..<colon]))
        else { return nil }
        self.host = host
        self.port = port
    }

    init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    private static func port(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
    }

    /// Whether only programs on this machine can connect.
    package var isLoopback: Bool { host.isLoopback }

    package var description: String { "\(host):\(port)" }
}

extension ListenAddress.Host: CustomStringConvertible {
    /// Parses `localhost`, an IPv4 address, or an IPv6 address in brackets.
    init?(_ text: String) {
        if text.lowercased() == "localhost" {
            self = .version4(in_addr_t(0x7F00_0001).bigEndian)
            return
        }
        var version4 = in_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            self = .version4(version4.s_addr)
            return
        }
        var version6 = [UInt8](repeating: 0, count: 16)
        guard text.hasPrefix("["), text.hasSuffix("]"),
            inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &version6) == 1
        else { return nil }
        self = .version6(version6)
    }

    var isLoopback: Bool {
        switch self {
        case .version4(let address): in_addr_t(bigEndian: address) >> 24 == 127
        case .version6(let bytes): bytes == Array(repeating: 0, count: 15) + [1]
        }
    }

    /// Whether the server accepts connections to all addresses of the machine.
    var isWildcard: Bool {
        switch self {
        case .version4(let address): address == 0
        case .version6(let bytes): bytes.allSatisfy { $0 == 0 }
        }
    }

    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch self {
        case .version4(let address):
            var address = address
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .version6(let bytes):
            inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let name = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if case .version6 = self { return "[\(name)]" }
        return name
    }
}

/// A type that checks the `Host` header to protect a server against DNS rebinding.
///
/// A web page can make its own host name resolve to an address of this machine, and then read the
/// server's responses. Requests from such a page contain the page's host name in `Host`.
struct HostCheck: Sendable {
    private let address: ListenAddress.Host
    private let names: Set<String>

    /// Creates a check for a server that listens on an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - machine: The name of this machine, which clients may use if the server listens on all
    ///     addresses.
    init(
        listeningOn address: ListenAddress.Host,
        machine: @autoclosure () -> String = ProcessInfo.processInfo.hostName
    ) {
        self.address = address
        var names: Set = ["localhost", "127.0.0.1", "[::1]", address.description]
        if address.isWildcard { names.insert(machine().lowercased()) }
        self.names = names
    }

    /// Returns whether a request with this header is allowed, regardless of the port.
    func allows(_ header: String) -> Bool {
        var host = header.lowercased()
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard host[host.index(after: colon)...].allSatisfy(\.isNumber) else { return false }
            host = String(host[..<colon])
        }
        if names.contains(host) { return true }
        guard let parsed = ListenAddress.Host(host) else { return false }
        // DNS rebinding requires a host name, so an address is safe.
        return address.isWildcard || parsed == address
    }
}
