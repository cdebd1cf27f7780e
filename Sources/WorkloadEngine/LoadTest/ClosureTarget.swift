import Foundation
import Telemetry

/// A target that runs closures instead of statements.
///
/// The text of a statement is the name of the client whose closure to run.
final class ClosureTarget: WorkloadTarget {
    enum Body: Sendable {
        case blocking(LoadTest.Body)
        case awaited(LoadTest.AsyncBody)
    }

    /// A factory that opens the target of a load test, which has no database.
    struct Factory: WorkloadTargetFactory {
        let test: LoadTest
        let bodies: [String: Body]

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: URL(fileURLWithPath: path))
            }
            return ClosureTarget(test, bodies)
        }
    }

    private let test: LoadTest
    private let bodies: [String: Body]
    /// The number of each client's next access, keyed by the client's name.
    private let nextNumbers = Lock<[String: UInt64]>([:])
    private let clock = MonotonicClock()

    init(_ test: LoadTest, _ bodies: [String: Body]) {
        self.test = test
        self.bodies = bodies
    }

    func makeAccess(of client: String) -> LoadAccess {
        let number = nextNumbers.withLock { numbers in
            defer { numbers[client, default: 0] += 1 }
            return numbers[client, default: 0]
        }
        let random = RandomStream(
            seed: test.seed,
            stream: "\(client)/accesses",
            worker: Int(truncatingIfNeeded: number)
        )
        return LoadAccess(number: number, random: random, clock: clock)
    }

    func run(_ name: String, _ access: LoadAccess) async throws {
        switch bodies[name] {
        case .awaited(let body): try await body(access)
        case .blocking(let body): try body(access)
        case nil: throw RunError(.scenario, "no client has the name '\(name)'")
        }
    }

    struct Session: WorkloadSession {
        let target: ClosureTarget
        let access: LoadAccess

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            guard case .blocking(let body) = target.bodies[sql] else { return 0 }
            try body(access)
            return 0
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) -> [[WorkloadValue]] { [] }
    }

    func supports(_ access: WorkloadAccess) -> Bool { access == .read }

    func has(_ capability: WorkloadAbility) -> Bool { capability == .tasks }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try body(Session(target: self, access: makeAccess(of: client.name)))
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw RunError(.scenario, "load tests do not support snapshots")
    }

    func interrupt() { test.interrupt() }

    func failure(of error: any Error) -> WorkloadFailure { test.failure(error) }

    func status() -> DatabaseStatus? { test.status?() }

    func environment() -> [String: String] { [:] }

    func close() {}
}
