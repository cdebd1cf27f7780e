import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// An error that a fake target throws.
enum FakeFailure: Error, Equatable {
    case busy
    case interrupted
    case broken
    /// The disk is full.
    case full
}

/// A simulated database whose times, failures, and results are defined by a test.
final class FakeTarget: WorkloadTarget {
    /// A requested access.
    struct Access: Sendable, Equatable {
        /// The number of the access, starting at 0.
        var number: Int
        var kind: WorkloadAccess
        var client: String
        /// The time of the request on the clock.
        var time: UInt64
    }

    /// The behavior of a fake target.
    ///
    /// The closures are called on many threads.
    struct Behavior: Sendable {
        var hasSnapshots = true
        /// A closure that returns the time that an access waits for its connection, in nanoseconds.
        var wait: @Sendable (Access) -> UInt64 = { _ in 0 }
        /// A closure that returns the service time of an access, in nanoseconds.
        var service: @Sendable (Access) -> UInt64 = { _ in 0 }
        /// A closure that is called before each access.
        ///
        /// The access throws any error that the closure throws.
        var beforeAccess: @Sendable (Access) throws -> Void = { _ in }
        /// A closure that returns the rows of a query.
        var rows: @Sendable (String, [WorkloadValue]) -> [[WorkloadValue]] = { _, _ in [] }
        /// A closure that is called in each statement.
        ///
        /// The statement throws any error that the closure throws.
        var statement: @Sendable () throws -> Void = {}
        /// A closure that interrupts a statement.
        var interrupt: (@Sendable () -> Void)?
        /// A closure that returns the rows of the nth read from a snapshot.
        var snapshotRows: @Sendable (Int) -> [[WorkloadValue]] = { _ in [] }
        var status: (@Sendable (UInt64) -> DatabaseStatus)?
        /// A closure that returns the plan of a statement.
        ///
        /// If this closure is `nil`, the target does not support profiles.
        var plan: (@Sendable (String) -> [String])?
        /// A closure that is called before the target is closed.
        ///
        /// `close` throws any error that the closure throws.
        var close: @Sendable () throws -> Void = {}
    }

    private struct State: Sendable {
        var accesses: [Access] = []
        var statements: [(sql: String, values: [WorkloadValue])] = []
        var interrupts = 0
        var snapshots = 0
        var isClosed = false
    }

    let clock: SimulatedClock
    private let behavior: Behavior
    private let state = Lock(State())

    init(clock: SimulatedClock, _ behavior: Behavior = Behavior()) {
        self.clock = clock
        self.behavior = behavior
    }

    var accesses: [Access] { state.withLock { $0.accesses } }
    var statements: [(sql: String, values: [WorkloadValue])] { state.withLock { $0.statements } }
    var interrupts: Int { state.withLock { $0.interrupts } }
    var snapshotsAlive: Int { state.withLock { $0.snapshots } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func supports(_ access: WorkloadAccess) -> Bool {
        access != .snapshot || behavior.hasSnapshots
    }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let time = clock.now()
        let access = state.withLock { state in
            let access = Access(
                number: state.accesses.count,
                kind: access,
                client: client.name,
                time: time
            )
            state.accesses.append(access)
            return access
        }
        try behavior.beforeAccess(access)
        try spend(behavior.wait(access))
        try body(Session(target: self))
        try spend(behavior.service(access))
    }

    private func spend(_ nanoseconds: UInt64) throws {
        if nanoseconds > 0, !clock.spend(nanoseconds) { throw FakeFailure.interrupted }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        state.withLock { $0.snapshots += 1 }
        return Snapshot(target: self)
    }

    func interrupt() {
        state.withLock { $0.interrupts += 1 }
        clock.interrupt()
    }

    func failure(of error: any Error) -> WorkloadFailure {
        switch error as? FakeFailure {
        case .busy?: .busy("SQLITE_BUSY")
        case .interrupted?: .interrupted
        case .full?: .error("SQLITE_FULL")
        case .broken?, nil: .error("SQLITE_ERROR")
        }
    }

    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? {
        guard let plan = behavior.plan else { return nil }
        var profile = OperationProfile()
        profile.plans = statements.map { .init(sql: $0.sql, lines: plan($0.sql)) }
        return profile
    }

    func status() -> DatabaseStatus? { behavior.status?(clock.now()) }
    func environment() -> [String: String] { ["journal_mode": "fake"] }
    func close() throws {
        try behavior.close()
        state.withLock { $0.isClosed = true }
    }

    private struct Session: WorkloadSession {
        let target: FakeTarget

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            target.state.withLock { $0.statements.append((sql, values)) }
            try target.behavior.statement()
            return 1
        }

        func makeInterrupt() -> (@Sendable () -> Void)? { target.behavior.interrupt }

        func rows(_ sql: String, _ values: [WorkloadValue]) -> [[WorkloadValue]] {
            target.behavior.rows(sql, values)
        }
    }

    private final class Snapshot: WorkloadSnapshot {
        private struct Reading: WorkloadSession {
            let result: [[WorkloadValue]]

            func run(_ sql: String, _ values: [WorkloadValue]) -> Int { result.count }
            func rows(_ sql: String, _ values: [WorkloadValue]) -> [[WorkloadValue]] { result }
        }

        private let target: FakeTarget
        private let readings = Lock(0)

        init(target: FakeTarget) { self.target = target }

        func read(_ body: (any WorkloadSession) throws -> Void) throws {
            let number = readings.withLock { readings in
                readings += 1
                return readings
            }
            try body(Reading(result: target.behavior.snapshotRows(number)))
        }

        func release() { target.state.withLock { $0.snapshots -= 1 } }
    }
}

/// A factory that opens one fake target for all arms.
///
/// A separate target builds the dataset.
struct FakeFactory: WorkloadTargetFactory {
    let target: FakeTarget

    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        if arm.name == "data" {
            try Data().write(to: URL(fileURLWithPath: path))
            return FakeTarget(clock: target.clock)
        }
        return target
    }
}
