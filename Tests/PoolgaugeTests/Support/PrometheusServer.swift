import Foundation
import TestSupport

/// Debian's `prometheus` and `promtool`.
enum PrometheusTools {
    /// Whether both tools are installed.
    static let areInstalled = ["prometheus", "promtool"].allSatisfy { path(of: $0) != nil }

    static func path(of tool: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(tool)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs `promtool` and returns its status and its output.
    static func promtool(
        _ arguments: [String],
        input: String = ""
    ) throws -> (status: Int32, output: String) {
        try withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("input")
            try Data(input.utf8).write(to: file)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path(of: "promtool") ?? "promtool")
            process.arguments = arguments
            process.standardInput = try FileHandle(forReadingFrom: file)
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }
    }
}

/// A Prometheus server that scrapes programs on this machine twice per second.
final class PrometheusServer {
    private let program: RunningProgram
    private let port: UInt16

    /// Starts Prometheus with one job for each port.
    init(jobs: [String: UInt16], in folder: URL) throws {
        port = try Self.freePort()
        let configuration = folder.appendingPathComponent("prometheus.yml")
        var text = "global: {scrape_interval: 500ms, scrape_timeout: 500ms}\nscrape_configs:\n"
        for (job, port) in jobs {
            text += "  - {job_name: \(job), static_configs: [{targets: [\"127.0.0.1:\(port)\"]}]}\n"
        }
        try Data(text.utf8).write(to: configuration)
        program = try RunningProgram(
            [
                "--config.file=\(configuration.path)", "--log.level=warn",
                "--storage.tsdb.path=\(folder.appendingPathComponent("tsdb").path)",
                "--web.listen-address=127.0.0.1:\(port)",
            ],
            in: folder,
            path: PrometheusTools.path(of: "prometheus") ?? "prometheus"
        )
        _ = try eventually("Prometheus is ready") {
            guard program.isRunning else { throw ProgramEnded(description: program.errorText) }
            return (try? HTTPGet.response("/-/ready", port: port))?.status == 200 ? true : nil
        }
    }

    /// An element of a query result.
    struct Element {
        var labels: [String: String]
        var value: Double
    }

    /// Evaluates an expression at the current time.
    ///
    /// - Throws: ``TimedOut`` with Prometheus's message if the expression is invalid.
    func query(_ expression: String) throws -> [Element] {
        let allowed = CharacterSet.alphanumerics
        let encoded = expression.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        let response = try HTTPGet.response("/api/v1/query?query=\(encoded)", port: port)
        let json = try JSONSerialization.jsonObject(with: Data(response.body.utf8))
        guard let answer = json as? [String: Any], answer["status"] as? String == "success",
            let data = answer["data"] as? [String: Any],
            let result = data["result"] as? [[String: Any]]
        else { throw TimedOut(description: "\(expression): \(response.body)") }
        return result.compactMap { element in
            guard let pair = element["value"] as? [Any], let text = pair.last as? String,
                let value = Double(text)
            else { return nil }
            return Element(labels: element["metric"] as? [String: String] ?? [:], value: value)
        }
    }

    /// Returns a port that is currently free.
    private static func freePort() throws -> UInt16 {
        #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 ? getsockname(socket, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw TimedOut(description: "there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
