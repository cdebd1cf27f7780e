import Foundation
import Telemetry

/// A load on a program's own code: clients whose accesses are closures, and limits on their
/// measurements.
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
/// Times are measured as in a scenario: a response time starts at the access's intended start, so a
/// stall affects every access that it delays.
public struct LoadTest: Sendable {
    /// The closure of an access.
    public typealias Body = @Sendable (LoadAccess) throws -> Void
    /// The closure of an asynchronous access.
    public typealias AsyncBody = @Sendable (LoadAccess) async throws -> Void

    /// The seed for arrivals, think times and ``LoadAccess/random``.
    public var seed: UInt64 = 42
    /// The maximum time to wait for running accesses when the load ends.
    public var drain: Duration = .seconds(2)
    /// A function that returns the database's state, such as `{ pool.status() }`, for waits and
    /// saturation in the result; nil to omit them.
    public var status: (@Sendable () -> DatabaseStatus)?
    /// A function that classifies an error.
    ///
    /// By default, an error is named after its type.
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
    ///   - name: The test's name, for reports.
    ///   - duration: The length of the measured phase.
    ///   - warmUp: The length of the load before the measured phase.
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
    /// Each worker is a thread that starts its next access after the previous one has ended and the
    /// think time has passed.
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
    ///   - workers: The number of threads that serve the arrivals.
    ///   - rate: The number of arrivals per second.
    ///   - process: The distribution of the arrivals over time.
    ///   - skipAfter: The lateness after which an access is skipped; nil to never skip.
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

    /// Adds a client whose workers are tasks and whose accesses arrive on a schedule.
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
        // The statement is the name that the target uses to find the closure.
        let operation = Operation(name: name, statements: [name])
        var client = Client(name: name, activity: .operations(.read, mix: [operation]))
        client.workers = workers
        client.pace = pace
        client.style = style
        clients.append(client)
        bodies[name] = body
    }

    /// Adds a condition for the test to pass, in the notation of scenario thresholds: the metric
    /// `list.response` with `p(99) < 50ms` or `max < 1s`, or `list.errors` with `count < 1`.
    public mutating func limit(_ metric: String, _ expression: String) {
        limits.append((metric, expression))
    }

    /// Runs the load.
    ///
    /// - Throws: ``RunError`` if a limit cannot be parsed, if two clients have the same name, or
    ///   if accesses do not end; `CancellationError` if the task is canceled before the load
    ///   starts.
    /// - Returns: The measurements; see ``ArmResult/missed``.
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
    /// The missed limits, each in a line with the observed value; empty if all limits were met.
    ///
    /// The list includes limits that have too few samples.
    public var missed: [String] {
        thresholds.filter { $0.passed == false || $0.undecided == true }.map { threshold in
            var observed = threshold.observed.map { "\($0)" } ?? "nothing"
            if threshold.undecided == true { observed += ", too few samples to decide" }
            if let seconds = threshold.decidingSeconds {
                observed += "; a measured part of \(Int(seconds)) s decides"
            }
            return "\(threshold.metric) \(threshold.expression): observed \(observed)"
        }
    }
}
