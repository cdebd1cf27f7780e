import Scenarios
import Synchronization
import Telemetry
import WorkloadEngine

/// A target that records its accesses and optionally rejects one statement.
final class StatementRecorder: WorkloadTarget {
    /// An access and its statements.
    struct Access: Sendable {
        var kind: WorkloadAccess
        var statements: [(sql: String, values: [WorkloadValue])] = []
    }

    struct Refusal: Error {}

    private struct Session: WorkloadSession {
        let recorder: StatementRecorder

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            if sql == recorder.refused { throw Refusal() }
            recorder.recorded.withLock { accesses in
                accesses[accesses.count - 1].statements.append((sql, values))
            }
            return 0
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
            _ = try run(sql, values)
            return []
        }
    }

    private let recorded = Mutex<[Access]>([])
    private let refused: String?

    init(refusing sql: String? = nil) { refused = sql }

    var accesses: [Access] { recorded.withLock { $0 } }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        recorded.withLock { $0.append(Access(kind: access)) }
        try body(Session(recorder: self))
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw Refusal()
    }

    func interrupt() {}
    func failure(of error: any Error) -> WorkloadFailure { .error("REFUSED") }
    func status() -> DatabaseStatus? { nil }
    func environment() throws -> [String: String] { [:] }
    func close() throws {}
}
