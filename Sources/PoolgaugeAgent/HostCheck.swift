import Foundation

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
