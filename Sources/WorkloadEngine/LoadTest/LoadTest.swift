import Foundation
import Telemetry

/// A load on a program's own code: clients whose accesses are closures, and limits on what is
/// measured.
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
/// The measured times are those of a scenario: a response counts from the moment at which an access
/// was meant to start, so a stall shows in every access that it delays.
public struct LoadTest: Sendable {
    /// What an access does.
    public typealias Body = @Sendable (LoadAccess) throws -> Void
    /// What an awaited access does.
    public typealias AsyncBody = @Sendable (LoadAccess) async throws -> Void

    /// The seed of arrivals, think times and ``LoadAccess/random``.
    public var seed: UInt64 = 42
    /// How long accesses that run at the end are awaited.
    public var drain: Duration = .seconds(2)
    /// The state of the database, such as `{ pool.status() }`: for waits and saturation in the
    /// result; nil for none.
    public var status: (@Sendable () -> DatabaseStatus)?
    /// What kind of failure an error is; by default an error of its type's name.
    public var failure: @Sendable (any Error) -> WorkloadFailure = { .error("\(type(of: $0))") }
    /// Called when accesses do not end by themselves, such as `{ pool.interrupt() }`.
    public var interrupt: @Sendable () -> Void = {}

    private let name: String
    private let phases: [Phase]
    private var clients: [Client] = []
    private var bodies: [String: ClosureTarget.Body] = [:]
    private var limits: [(metric: String, expression: String)] = []

    /// Creates a load without clients.
    ///
    /// - Parameters:
    ///   - name: The test's name, for reports.
    ///   - duration: How long it is measured.
    ///   - warmUp: How long it runs before.
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

    /// Adds a client in a closed loop: each worker, a thread, makes its next access when the last
    /// one ended and it has thought.
    public mutating func client(
        _ name: String,
        workers: Int = 1,
        think: Duration = .zero,
        _ body: @escaping Body
    ) {
        add(name, workers, .closed(think: think), .sync, .blocking(body))
    }

    /// Adds a client whose accesses arrive on a schedule, whether or not a worker is free.
    ///
    /// - Parameters:
    ///   - name: The client's name, for metrics: letters, digits, `-` and `_`.
    ///   - workers: The threads that serve the arrivals.
    ///   - rate: Arrivals per second.
    ///   - process: How they are spread.
    ///   - skipAfter: How late an access may be before it is given up; nil for ever.
    ///   - body: Makes the access.
    public mutating func client(
        _ name: String,
        workers: Int = 1,
        rate: Double,
        process: Arrival.Process = .poisson,
        skipAfter: Duration? = nil,
        _ body: @escaping Body
    ) {
        let arrival = Arrival(rate: rate, process: process, skipAfter: skipAfter)
        add(name, workers, .open(arrival), .sync, .blocking(body))
    }

    /// Adds a client whose workers are tasks, in a closed loop.
    public mutating func asyncClient(
        _ name: String,
        workers: Int = 1,
        think: Duration = .zero,
        _ body: @escaping AsyncBody
    ) {
        add(name, workers, .closed(think: think), .async, .awaited(body))
    }

    /// Adds a client whose workers are tasks, and whose accesses arrive on a schedule.
    public mutating func asyncClient(
        _ name: String,
        workers: Int = 1,
        rate: Double,
        process: Arrival.Process = .poisson,
        skipAfter: Duration? = nil,
        _ body: @escaping AsyncBody
    ) {
        let arrival = Arrival(rate: rate, process: process, skipAfter: skipAfter)
        add(name, workers, .open(arrival), .async, .awaited(body))
    }

    private mutating func add(
        _ name: String,
        _ workers: Int,
        _ pace: Client.Pace,
        _ style: Client.Style,
        _ body: ClosureTarget.Body
    ) {
        // The statement is a name, by which the target finds the closure.
        let operation = Operation(name: name, statements: [name])
        var client = Client(name: name, activity: .operations(.read, mix: [operation]))
        client.workers = workers
        client.pace = pace
        client.style = style
        clients.append(client)
        bodies[name] = body
    }

    /// Adds what must hold for the test to pass, as a scenario's thresholds say it: the metric
    /// `list.response`, and `p(99) < 50ms`, `max < 1s`, or for `list.errors` `count < 1`.
    public mutating func limit(_ metric: String, _ expression: String) {
        limits.append((metric, expression))
    }

    /// Runs the load.
    ///
    /// - Throws: ``RunError`` for a limit that cannot be understood, two clients of one name, and
    ///   accesses that do not end; `CancellationError` when the task is cancelled before it begins.
    /// - Returns: What was measured; see ``ArmResult/missed``.
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
            throw RunError(.scenario, "two clients of '\(name)' have the same name")
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
                throw RunError(.scenario, "the limit on \(limit.metric)", cause: error)
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
    /// The limits that did not hold, each in a line with what was observed; empty when all held.
    ///
    /// A limit that had too few samples to be decided is among them.
    public var missed: [String] {
        thresholds.filter { $0.passed == false || $0.undecided == true }.map { threshold in
            var observed = threshold.observed.map { "\($0)" } ?? "nothing"
            if threshold.undecided == true { observed += ", too few samples to decide" }
            if let seconds = threshold.decidingSeconds {
                observed += "; \(Int(seconds)) s of measuring decide"
            }
            return "\(threshold.metric) \(threshold.expression): observed \(observed)"
        }
    }
}
