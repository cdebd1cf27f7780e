import Scenarios
import Telemetry

/// A target that does nothing, to measure the generator's own cost.
final class NoopTarget: WorkloadTarget {
    private struct Session: WorkloadSession {
        func run(_ sql: String, _ values: [WorkloadValue]) -> Int { 0 }
        func rows(_ sql: String, _ values: [WorkloadValue]) -> [[WorkloadValue]] { [] }
    }

    private struct Unsupported: Error {}

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try body(Session())
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw Unsupported()
    }

    func interrupt() {}
    func failure(of error: any Error) -> WorkloadFailure { .error("NOOP") }
    func status() -> DatabaseStatus? { nil }
    func environment() -> [String: String] { [:] }
    func close() {}
}
