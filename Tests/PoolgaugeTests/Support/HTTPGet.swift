import Foundation
import TestSupport

/// A request to a server on this machine.
enum HTTPGet {
    /// Sends a request and returns the status and the body.
    ///
    /// - Throws: ``TimedOut`` if the server does not accept the connection or does not answer.
    static func response(
        _ target: String,
        port: UInt16,
        host: String = "localhost"
    ) throws -> (status: Int, body: String) {
        #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(socket) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            socket,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &timeout,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw TimedOut(description: "cannot connect to port \(port)") }
        // HTTP/1.0 would allow a response without a length, but the metrics server rejects it.
        let request = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
        _ = Array(request.utf8).withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 {
            received += buffer[..<count]
        }
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"),
            let code = text.firstMatch(of: /^HTTP\/1\.1 (\d+)/).flatMap({ Int($0.1) })
        else { throw TimedOut(description: "no response to \(target): \(text)") }
        var body = String(text[end.upperBound...])
        if text[..<end.lowerBound].lowercased().contains("transfer-encoding: chunked") {
            body = unchunked(body)
        }
        return (code, body)
    }

    private static func unchunked(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), count > 0
        {
            rest = rest[(end + 2)...]
            body += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        return String(decoding: body, as: UTF8.self)
    }
}
