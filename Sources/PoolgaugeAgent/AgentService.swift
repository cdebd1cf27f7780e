import Foundation
import MetricDescriptors
import Telemetry

/// The operations on a database that an agent offers.
struct AgentService: Sendable {
    /// The name of the agent.
    var name: String
    /// Whether clients may interrupt statements and request checkpoints.
    var allowsControl: Bool
    private let database: any StatusReporting
    private let metrics = MetricText()
    /// The time when the agent started, on the monotonic clock.
    private let start = monotonicNanoseconds()

    init(_ database: some StatusReporting, name: String, allowsControl: Bool) {
        self.database = database
        self.name = name
        self.allowsControl = allowsControl
    }

    private func events() -> AsyncStream<ConnectionEvent> {
        database.events(slowerThan: .milliseconds(100), buffering: 256)
    }

    private func checkpoint() async throws -> AgentCheckpoint {
        let result = try await database.passiveCheckpoint()
        return AgentCheckpoint(frames: result.frames, checkpointed: result.checkpointed)
    }

    /// The paths that an agent serves.
    private enum Path: String, CaseIterable {
        case status = "/status"
        case events = "/events"
        case metrics = "/metrics"
        case interrupt = "/interrupt"
        case checkpoint = "/checkpoint"

        var isControl: Bool { self == .interrupt || self == .checkpoint }

        var method: String { isControl ? "POST" : "GET" }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let closes = request.closesConnection
        guard let path = Path(rawValue: request.target) else {
            let paths = Path.allCases.map(\.rawValue).joined(separator: ", ")
            let message = "the agent serves \(paths)"
            return .complete(HTTPResponse.failure(404, message, closes: closes))
        }
        guard request.method == path.method else {
            let message = "\(path.rawValue) supports only \(path.method)"
            return .complete(
                HTTPResponse.failure(405, message, allowed: path.method, closes: closes)
            )
        }
        if path.isControl, !allowsControl {
            let message = "the program does not allow control"
            return .complete(HTTPResponse.failure(403, message, closes: closes))
        }
        switch path {
        case .status: return .complete(statusResponse(closes: closes))
        case .events: return .events(events)
        case .metrics:
            let text = metrics.text(DatabaseMetric.all, of: [database.status()])
            return .complete(HTTPResponse.metrics(text, closes: closes))
        case .interrupt:
            database.interrupt()
            let body = Array("{\"interrupted\":true}\n".utf8)
            return .complete(HTTPResponse.complete(200, body, closes: closes))
        case .checkpoint: return .checkpoint(checkpoint)
        }
    }

    private func statusResponse(closes: Bool) -> [UInt8] {
        let status = AgentStatus(
            name: name,
            process: getpid(),
            ageNanoseconds: monotonicNanoseconds() - start,
            allowsControl: allowsControl,
            database: database.status()
        )
        guard let body = Self.line(status) else {
            return HTTPResponse.failure(500, "the status cannot be encoded", closes: closes)
        }
        return HTTPResponse.complete(200, body, closes: closes)
    }

    /// Returns a value as one line of JSON, or `nil` if a number is not finite.
    static func line(_ value: some Encodable) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return nil }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}

/// The result of a checkpoint.
struct AgentCheckpoint: Sendable, Codable, Equatable {
    /// The number of frames in the log, or -1 if the database is not in WAL mode.
    var frames: Int
    /// The number of frames that are in the database file.
    var checkpointed: Int
}
