import Foundation

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
