import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// A target that does nothing, so that only the cost of the generator is measured.
final class NoopTarget: WorkloadTarget {
    private struct Session: WorkloadSession {
        func run(_ sql: String, _ values: [WorkloadValue]) -> Int { 0 }
        func rows(_ sql: String, _ values: [WorkloadValue]) -> [[WorkloadValue]] { [] }
    }

    private struct Unsupported: Error {}

    func supports(_ access: WorkloadAccess) -> Bool { access == .read }

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
    func failure(of error: any Error) -> WorkloadFailure { .error("\(error)") }
    func status() -> DatabaseStatus? { nil }
    func environment() -> [String: String] { [:] }
    func close() {}
}

/// A factory that opens `NoopTarget`s.
///
/// Each dataset is an empty file.
struct NoopFactory: WorkloadTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(fileURLWithPath: path))
        }
        return NoopTarget()
    }
}
