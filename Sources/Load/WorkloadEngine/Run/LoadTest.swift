import Foundation
import Scenarios
import Telemetry

/// A load test of a program's own code.
///
/// Each client makes accesses by calling a closure. The test passes if the measurements meet all
/// limits.
///
/// ```swift
/// @Test func theListStaysFastDuringASync() async throws {
///     var load = LoadTest("sync", duration: .seconds(2))
///     load.client("list", workers: 4, rate: 50) { access in
///         try store.pool.read { db in
///             access.enter()
///             _ = try Note.fetchAll(db)
///         }
///     }
///     load.client("sync", think: .milliseconds(20)) { _ in try store.sync() }
///     load.limit("list.response", "p(50) < 100ms")
///     load.limit("list.errors", "count < 1")
///     let result = try await load.run()
///     #expect(result.missed.isEmpty)
/// }
/// ```
///
/// Times are measured as in a scenario. A response time starts at the access's intended start, so a
/// stall affects every access that it delays.
public struct LoadTest: Sendable {
    /// The closure of an access.
    public typealias Body = @Sendable (LoadAccess) throws -> Void
    /// The closure of an asynchronous access.
    public typealias AsyncBody = @Sendable (LoadAccess) async throws -> Void

    /// The seed for arrivals, think times, and ``LoadAccess/random``.
    public var seed: UInt64 = 42
    /// The maximum time to wait for running accesses to end after the load ends.
    public var drain: Duration = .seconds(2)
    /// A function that returns the database's state, such as `{ pool.status() }`, if any.
    ///
    /// The result contains waits and saturation only if this function is set.
    public var status: (@Sendable () -> DatabaseStatus)?
    /// A function that classifies an error.
    ///
    /// By default, the error's name is its type's name.
    public var failure: @Sendable (any Error) -> WorkloadFailure = { .error("\(type(of: $0))") }
    /// A function that interrupts accesses that do not end in time, such as `{ pool.interrupt() }`.
    public var interrupt: @Sendable () -> Void = {}

    private let name: String
    private let phases: [Phase]
    private var clients: [Client] = []
    private var bodies: [String: ClosureTarget.Body] = [:]
    private var limits: [(metric: String, expression: String)] = []

    /// Creates a load without clients.
    ///
    /// - Parameters:
    ///   - name: The name of the test in reports.
    ///   - duration: The length of the measured phase.
    ///   - warmUp: The length of the phase before the measured phase.
    public init(
        _ name: String,
        duration: Duration = .seconds(2),
        warmUp: Duration = .milliseconds(200)
    ) {
        self.name = name
        var phases = [Phase(name: "measured", duration: duration)]
        if warmUp > .zero {
            phases.insert(Phase(name: "warm-up", duration: warmUp, isMeasured: false), at: 0)
        }
        self.phases = phases
    }

    /// Adds a client in a closed loop.
    ///
    /// Each worker is a thread that starts its next access after the previous access and the think
    /// time have ended.
    public mutating func client(
        _ name: String,
        workers: Int = 1,
        think: Duration = .zero,
        _ body: @escaping Body
    ) {
        add(
            name,
            workers: workers,
            pace: .closed(think: think),
            style: .sync,
            body: .blocking(body)
        )
    }

    /// Adds a client whose accesses arrive on a schedule, even if no worker is free.
    ///
    /// - Parameters:
    ///   - name: The client's name in metrics. The name consists of letters, digits, `-`, and
    ///     `_`.
    ///   - workers: The number of threads that serve the arrivals.
    ///   - rate: The number of arrivals per second.
    ///   - process: The distribution of the arrivals over time.
    ///   - skipAfter: The delay after which an access is skipped, or `nil` to skip no accesses.
    ///   - body: The closure of an access.
    public mutating func client(
        _ name: String,
        workers: Int = 1,
        rate: Double,
        process: Arrival.Process = .poisson,
        skipAfter: Duration? = nil,
        _ body: @escaping Body
    ) {
        let arrival = Arrival(rate: rate, process: process, skipAfter: skipAfter)
        add(name, workers: workers, pace: .open(arrival), style: .sync, body: .blocking(body))
    }

    /// Adds a client in a closed loop, with tasks as workers.
    public mutating func asyncClient(
        _ name: String,
        workers: Int = 1,
        think: Duration = .zero,
        _ body: @escaping AsyncBody
    ) {
        add(
            name,
            workers: workers,
            pace: .closed(think: think),
            style: .async,
            body: .awaited(body)
        )
    }

    /// Adds a client whose accesses arrive on a schedule, with tasks as workers.
    public mutating func asyncClient(
        _ name: String,
        workers: Int = 1,
        rate: Double,
        process: Arrival.Process = .poisson,
        skipAfter: Duration? = nil,
        _ body: @escaping AsyncBody
    ) {
        let arrival = Arrival(rate: rate, process: process, skipAfter: skipAfter)
        add(name, workers: workers, pace: .open(arrival), style: .async, body: .awaited(body))
    }

    private mutating func add(
        _ name: String,
        workers: Int,
        pace: Client.Pace,
        style: Client.Style,
        body: ClosureTarget.Body
    ) {
        // The target uses the statement, which is the client's name, to find the closure.
        let operation = Scenarios.Operation(name: name, statements: [name])
        var client = Client(name: name, activity: .operations(.read, mix: [operation]))
        client.workers = workers
        client.pace = pace
        client.style = style
        clients.append(client)
        bodies[name] = body
    }

    /// Adds a limit that the test must meet.
    ///
    /// The syntax is that of a scenario's thresholds. For example, limit `list.response` with
    /// `p(99) < 50ms` or `max < 1s`, and `list.errors` with `count < 1`.
    public mutating func limit(_ metric: String, _ expression: String) {
        limits.append((metric, expression))
    }

    /// Runs the load.
    ///
    /// - Throws: `RunError` if a limit is invalid, two clients have the same name, or accesses
    ///   do not end. Throws `CancellationError` if the task is canceled before the load starts.
    /// - Returns: The measurements, which list the limits that were not met in
    ///   ``ArmResult/missed``.
    public func run() async throws -> ArmResult {
        let arm = Arm(name: name, kind: .pool)
        var scenario = Scenario(
            name: name,
            dataset: .sql([]),
            arms: [arm],
            phases: phases,
            clients: clients
        )
        scenario.seed = seed
        scenario.drain = drain
        guard Set(clients.map(\.name)).count == clients.count else {
            throw RunError(.scenario, "two clients in '\(name)' have the same name")
        }
        let catalog = MetricCatalog(clients: clients.map(\.name))
        scenario.thresholds = try limits.map { limit in
            guard catalog.metric(limit.metric) != nil else {
                throw RunError(.scenario, catalog.problem(with: limit.metric))
            }
            do {
                return try Threshold(
                    metric: limit.metric,
                    expression: limit.expression,
                    in: catalog
                )
            } catch {
                throw RunError(.scenario, "invalid limit on \(limit.metric)", cause: error)
            }
        }
        return try await WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: ClosureTarget.Factory(test: self, bodies: bodies)
        ).run()
    }
}

extension ArmResult {
    /// The limits that were not met, each with its observed value.
    ///
    /// The list includes limits with too few samples to decide.
    public var missed: [String] {
        thresholds.filter { $0.passed == false || $0.undecided == true }.map { threshold in
            var observed = threshold.observed.map { "\($0)" } ?? "nothing"
            if threshold.undecided == true { observed += ", too few samples to decide" }
            if let seconds = threshold.decidingSeconds {
                observed += "; to collect enough samples, measure for \(Int(seconds)) s"
            }
            return "\(threshold.metric) \(threshold.expression): observed \(observed)"
        }
    }
}

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

/// An access of a load test, which the access's closure receives.
public final class LoadAccess: Sendable {
    /// The access's index among the client's accesses, starting at 0.
    public let number: UInt64
    /// The random numbers for this access, identical in every run with the same seed.
    public let random: RandomStream
    private let clock: any RunClock
    private let entry = Lock<UInt64?>(nil)

    init(number: UInt64, random: RandomStream, clock: any RunClock) {
        self.number = number
        self.random = random
        self.clock = clock
    }

    /// Records the end of the wait and the start of the work.
    ///
    /// Call this method first inside a `read` or a `write`. The time before the call is the
    /// access's wait, and the time after the call is its service time. If the closure does not call
    /// this method, the entire access is service time. Only the first call has an effect. This
    /// method is safe to call from any thread.
    public func enter() {
        let now = clock.now()
        entry.withLock { $0 = $0 ?? now }
    }

    /// The time of the first call to ``enter()``, or `nil` before that call.
    var entryTime: UInt64? { entry.withLock { $0 } }
}
