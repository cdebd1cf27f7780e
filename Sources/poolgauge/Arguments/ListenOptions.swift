import ArgumentParser
import PoolgaugeAgent

/// The options of commands that export metrics while they run.
struct ListenOptions: ParsableArguments {
    /// The address that `poolgauge export` uses by default.
    static let standard = "127.0.0.1:9719"

    @Option(
        help: ArgumentHelp(
            "Serve metrics for Prometheus at this address, such as \(ListenOptions.standard). "
                + "Port 0 selects a free port; the URL is written to standard error.",
            valueName: "address"
        ),
        transform: ListenOptions.parse
    )
    var listen: ListenAddress?

    @Flag(help: "Allow --listen to use an address that other machines can reach.")
    var listenPublic = false

    func validate() throws {
        if listenPublic, listen == nil {
            throw ValidationError("--listen-public requires --listen")
        }
        guard let listen, !listen.isLoopback, !listenPublic else { return }
        throw ValidationError(
            "other machines can reach \(listen); specify 127.0.0.1:\(listen.port), or add "
                + "--listen-public if they may read the metrics"
        )
    }

    private static func parse(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            if let end = text.split(separator: ":").last, text.contains(":"), let port = Int(end),
                !(0...65535).contains(port)
            {
                throw ValidationError("the port must be from 0 to 65535, not \(port)")
            }
            throw ValidationError(
                "'\(text)' is not an address with a port; specify an address such as \(standard) "
                    + "or [::1]:9719"
            )
        }
        return address
    }

    /// Starts a server if requested, and writes its URL to standard error.
    ///
    /// - Parameters:
    ///   - standard: The address to use if none was specified, or `nil` to start no server in this
    ///     case.
    ///   - text: A closure that returns the metrics. The server's thread calls it.
    /// - Returns: The server, which runs until it is deallocated.
    /// - Throws: `AgentError` if the address cannot be used.
    func server(
        at standard: ListenAddress? = nil,
        serving text: @escaping @Sendable () -> String
    ) throws -> MetricsServer? {
        guard let address = listen ?? standard else { return nil }
        let server = try MetricsServer(on: address, text: text)
        StandardError.write("metrics: \(server.url)\n")
        return server
    }
}
