import Foundation
import Telemetry

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
            return HTTPResponse.failure(403, message, closes: closes)
        }
        guard request.target == path else {
            return HTTPResponse.failure(404, "the server serves \(path)", closes: closes)
        }
        guard request.method == "GET" else {
            let message = "\(path) supports only GET"
            return HTTPResponse.failure(405, message, allowed: "GET", closes: closes)
        }
        return HTTPResponse.metrics(text(), closes: closes)
    }
}
