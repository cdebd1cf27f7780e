import Foundation
import SQLiteEngine
import Telemetry

/// The operations on a database that an agent offers.
struct AgentService: Sendable {
    /// The name of the agent.
    var name: String
    /// Whether clients may interrupt statements and request checkpoints.
    var allowsControl: Bool
    var status: @Sendable () -> DatabaseStatus
    var events: @Sendable () -> AsyncStream<ConnectionEvent>
    var interrupt: @Sendable () -> Void
    var checkpoint: @Sendable () async throws -> AgentCheckpoint
    private let metrics = MetricText()
    /// The time at which the agent started, on the monotonic clock.
    private let start = monotonicNanoseconds()

    init(_ pool: DatabasePool, name: String, allowsControl: Bool) {
        self.init(pool, name: name, allowsControl: allowsControl) { pool.events() }
    }

    init(_ queue: DatabaseQueue, name: String, allowsControl: Bool) {
        self.init(queue, name: name, allowsControl: allowsControl) { queue.events() }
    }

    private init(
        _ database: some DatabaseWriter,
        name: String,
        allowsControl: Bool,
        events: @escaping @Sendable () -> AsyncStream<ConnectionEvent>
    ) {
        self.name = name
        self.allowsControl = allowsControl
        self.events = events
        status = { database.status() }
        interrupt = { database.interrupt() }
        checkpoint = {
            try await database.writeWithoutTransaction { db in
                let result = try db.checkpoint()
                return AgentCheckpoint(
                    frames: result.walFrameCount,
                    checkpointed: result.checkpointedFrameCount
                )
            }
        }
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
            let text = metrics.text(AgentMetric.all, of: [status()])
            return .complete(HTTPResponse.metrics(text, closes: closes))
        case .interrupt:
            interrupt()
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
            database: status()
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
