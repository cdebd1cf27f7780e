import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The system calls for TCP sockets.
enum TCPSocket {
    /// Listens on an address.
    ///
    /// - Parameter address: The address. Port 0 selects a free port.
    /// - Returns: The socket, which does not block, and its port.
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
            UnixSocket.setOption(SO_REUSEADDR, 1, of: listener)
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
        // Both families have the port at the same position.
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
            case EACCES: "ports below 1024 require root; specify a port from 1024"
            default: UnixSocket.description(of: number)
            }
        return "cannot listen on \(address): \(remedy)"
    }
}
