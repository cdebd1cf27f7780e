import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// An object that runs a scenario on several arms in blocks, so that a change in the machine
/// affects all arms.
///
/// In each block, the first arm runs twice and every other arm runs once, in an order drawn from
/// the seed. Each run uses a fresh copy of the data, and all runs in a block use the same seed.
/// Runs in a block therefore differ only because of the arm, and the first arm's two runs differ
/// only because of noise.
public final class ComparisonRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let options: ComparisonOptions

    private struct State: Sendable {
        var isStopped = false
        var current: WorkloadRun?
    }

    private let state = Lock(State())

    /// Creates a comparison.
    ///
    /// Call ``run()`` to start it.
    public init(
        scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: ComparisonOptions = ComparisonOptions()
    ) {
        self.scenario = scenario
        self.factory = factory
        self.options = options
    }

    /// Ends the comparison early, so that ``run()`` returns a partial result from the completed
    /// blocks.
    public func stop() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.stop()
    }

    /// Runs all blocks.
    ///
    /// - Throws: `RunError`, for example if there are too few blocks to show a difference, or
    ///   `ScenarioError` if a time in the scenario exceeds the length of a block.
    public func run() async throws -> ComparisonResult {
        let arms = try options.chosenArms(in: self.scenario)
        let datasets = options.run.datasets ?? DatasetStore(in: options.run.folder)
        defer { if options.run.datasets == nil { datasets.remove() } }
        var scenario = try self.scenario.scaled(toBlock: options.duration)
        scenario.arms = arms
        let leftOut = try removeUnsupported(from: &scenario)
        let plan = try ComparisonPlan(scenario, arms: arms, options: options)
        var scenarios = try (options.sweep?.variants ?? []).map { variant in
            var changed = try variant.scenario.scaled(toBlock: options.duration)
            changed.remove(leftOut)
            return changed
        }
        // The last slot is the first arm's second run.
        scenarios += scenarios.prefix(1)
        if scenarios.isEmpty {
            scenarios = plan.slots.map { slot in
                options.batches[slot.arm.name]?.applied(to: scenario) ?? scenario
            }
        }
        var progress = ComparisonProgress(
            runs: plan.slots.count * options.blocks,
            firstGuess: scenario.phases.reduce(.zero) { $0 + $1.duration } + .milliseconds(500),
            clock: options.run.clock
        )
        var blocks: [Block] = []
        var random = RandomStream(seed: scenario.seed, stream: "comparison/order")
        var limit = options.limit.map { TimeLimit($0, clock: options.run.clock) }
        for number in 1...max(1, options.blocks) {
            let order = Array(plan.slots.indices).shuffled(using: &random)
            guard
                let block = try await runBlock(
                    number,
                    order: order,
                    of: plan,
                    scenarios: scenarios,
                    datasets: datasets,
                    progress: &progress
                )
            else { break }
            blocks.append(block)
            if limit?.fitsAnotherStep() == false { break }
        }
        return ComparisonSummary(
            scenario: scenario,
            original: self.scenario,
            plan: plan,
            options: options,
            isPartial: isStopped,
            leftOut: leftOut
        ).result(of: blocks)
    }

    struct Block: Sendable {
        /// The order of the runs, as indices of the plan's slots.
        var order: [Int]
        /// The measurements, indexed by slot.
        var runs: [ComparisonMeasurement]
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Runs every slot once.
    ///
    /// - Returns: The block, or `nil` if the comparison stops before all runs end.
    private func runBlock(
        _ number: Int,
        order: [Int],
        of plan: ComparisonPlan,
        scenarios: [Scenario],
        datasets: DatasetStore,
        progress: inout ComparisonProgress
    ) async throws -> Block? {
        var runs: [Int: ComparisonMeasurement] = [:]
        for slot in order {
            let arm = plan.slots[slot].arm
            let scenario = scenarios[slot]
            options.onProgress?(
                "block \(number) of \(options.blocks): \(arm.name), \(progress.remaining)"
            )
            // The runs in a block share a seed. Different blocks use different seeds, because equal
            // seeds would repeat the same experiment.
            let seed = scenario.seed &+ UInt64(number - 1)
            let responses = Lock<[String: ResponseTimes]>([:])
            var runOptions = options.run
            runOptions.datasets = datasets
            runOptions.datasetSeed = scenario.seed
            runOptions.recordInterval = Self.recordInterval(of: options.duration)
            // Every block needs runs of equal length.
            runOptions.endsAtMissedThresholds = false
            runOptions.onResponses = { found in responses.withLock { $0 = found } }
            let run = WorkloadRun(
                scenario: scenario.with(seed: seed),
                arm: arm,
                factory: factory,
                options: runOptions
            )
            let isStopped = state.withLock { state in
                state.current = run
                return state.isStopped
            }
            if isStopped { return nil }
            do {
                let result = try await run.run()
                if result.partial {
                    // A failed run also ends early, but its block is kept to report the failure.
                    guard let failure = result.failures?.first else { return nil }
                    if options.endsAtFailedRun {
                        throw RunError(.failed, "arm '\(arm.name)' failed: \(failure)")
                    }
                }
                runs[slot] = ComparisonMeasurement(
                    result,
                    responses: responses.withLock { $0 },
                    clients: scenario.clients,
                    batch: options.batches[arm.name]
                )
            } catch is CancellationError {
                return nil
            }
            progress.countRun()
        }
        state.withLock { $0.current = nil }
        return Block(order: order, runs: plan.slots.indices.compactMap { runs[$0] })
    }

    /// Returns the interval between a run's records, in nanoseconds.
    ///
    /// A short run has about a dozen records.
    private static func recordInterval(of duration: Duration) -> UInt64 {
        min(1_000_000_000, max(100_000_000, duration.wholeNanoseconds / 12))
    }

    /// Removes the clients that at least one arm cannot run, and returns the reasons.
    private func removeUnsupported(from scenario: inout Scenario) throws -> [String: String] {
        let leftOut = try options.run.obstacles(
            to: scenario.clients,
            on: scenario.arms,
            factory: factory
        ) { client, arm, target in
            guard let access = client.access, !target.supports(access) else { return nil }
            return "arm '\(arm.name)' does not support \(access.rawValue) accesses"
        }
        scenario.remove(leftOut)
        return leftOut
    }
}

extension Scenario {
    /// Removes clients that an arm cannot run, keyed by name.
    fileprivate mutating func remove(_ leftOut: [String: String]) {
        clients.removeAll { leftOut[$0.name] != nil }
        // Keep the thresholds of the remaining clients, because a threshold on errors indicates
        // that errors are expected.
        thresholds.removeAll { threshold in
            leftOut.keys.contains { threshold.metric.hasPrefix($0 + ".") }
        }
    }
}

/// Options for a comparison.
public struct ComparisonOptions: Sendable {
    /// The number of blocks.
    ///
    /// In each block, the first arm runs twice and every other arm runs once.
    public var blocks = 10
    /// The largest number of blocks.
    public static let maximumBlocks = 1000
    /// The length of each run's measured part.
    ///
    /// With the default length, ten blocks of three arms take less than three minutes. A rate of
    /// 400 accesses/s is enough for a 99th percentile.
    public var duration: Duration = .seconds(3)
    /// The names of the arms to compare, with the baseline arm first.
    ///
    /// `nil` selects the scenario's `queue`, `queue-wal`, and `pool` arms.
    public var arms: [String]?
    /// The primary metrics, such as `ui.response.p99`, or `nil` for the scenario's primary metrics.
    ///
    /// If the scenario declares none, the primary metrics are the throughput of each closed loop
    /// and the 99th percentile of each open loop.
    public var primary: [String]?
    /// The conditions that make the comparison fail.
    ///
    /// The metrics of these conditions are also primary metrics.
    public var failIf: [FailCondition] = []
    /// The options for each run.
    public var run = RunOptions()
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// The time limit, or `nil` for no limit.
    ///
    /// A block starts only if the remaining time is at least the length of the longest block so
    /// far. The differences between arms therefore do not affect the number of blocks.
    var limit: Duration?
    /// Whether to compare each arm with only the first arm.
    var onlyAgainstFirst = false
    /// Whether a run that ends early because it failed, such as on a full disk, ends the comparison
    /// with an error.
    var endsAtFailedRun = false
    /// The larger transactions of arms, keyed by the arm's name.
    var batches: [String: WriteBatch] = [:]
    /// The values of a varied setting, or `nil` to compare arms of the scenario.
    package var sweep: ComparisonSweep?
    /// A function that receives the next run's name and the remaining time before each run.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks with runs of three seconds.
    public init() {}
}

/// The result of one run in a comparison, with the response times of skipped accesses.
struct ComparisonMeasurement: Sendable {
    let result: ArmResult
    /// The response times of each client, keyed by name, including skipped and unfinished accesses.
    ///
    /// Such an access has no response time, but omitting it would favor the slower arm. If a queue
    /// skipped nine of ten accesses, only the remaining tenth would count. The response time of a
    /// skipped access is therefore the limit after which it was skipped, and that of an unfinished
    /// access its age at the end of the run. Both are lower bounds.
    let responses: [String: LatencyHistogram]
    /// The smallest of the lower bounds in ``responses``, in nanoseconds, by the client's name.
    private let smallestBounds: [String: UInt64]
    /// The client whose accesses contain several of the other arms' accesses, if any.
    private var batch: WriteBatch?

    init(
        _ result: ArmResult,
        responses times: [String: ResponseTimes] = [:],
        clients: [Client] = [],
        batch: WriteBatch? = nil
    ) {
        self.result = result
        self.batch = batch
        var responses: [String: LatencyHistogram] = [:]
        var smallest: [String: UInt64] = [:]
        for (name, times) in times {
            var all = times.completed
            all.add(times.unfinished)
            responses[name] = all
            smallest[name] = times.unfinished.minimum
        }
        for client in clients {
            guard case .open(let arrival) = client.pace, let limit = arrival.skipAfter,
                let skipped = result.clients[client.name]?.skipped, skipped > 0
            else { continue }
            let bound = limit.wholeNanoseconds
            responses[client.name, default: LatencyHistogram()].count(bound, times: skipped)
            smallest[client.name] = min(smallest[client.name] ?? bound, bound)
        }
        self.responses = responses
        smallestBounds = smallest
    }

    func value(of metric: ComparisonMetric) -> Double? {
        if let batch, batch.client == metric.owner {
            // The times of a batch are not those of its writes.
            guard metric.unit != .time || metric.aggregate == "count" else { return nil }
            let value = result.value(of: metric.metric, metric.aggregate)
            return metric.metric == "\(metric.owner).throughput"
                ? value.map { $0 * Double(batch.size) } : value
        }
        // Only accesses that ended count.
        if metric.isResponse, metric.aggregate != "count",
            let found = responses[metric.owner]?.summary
        {
            return found.value(metric.aggregate)
        }
        return result.value(of: metric.metric, metric.aggregate)
    }

    /// Whether the true value of a metric may be larger than ``value(of:)``, because slow accesses
    /// were skipped or did not end.
    func isLowerBound(of metric: ComparisonMetric) -> Bool {
        guard metric.isResponse, let smallest = smallestBounds[metric.owner],
            let value = value(of: metric)
        else { return false }
        switch metric.aggregate {
        case "count": return false
        case "mean": return true
        default: return Double(smallest) <= value
        }
    }
}

/// A type that estimates the remaining time of a comparison from its completed runs.
struct ComparisonProgress {
    private let runCount: Int
    private let firstGuess: Duration
    private let clock: any RunClock
    private let start: UInt64
    private var completedRunCount = 0

    /// Creates an estimate that starts now.
    ///
    /// `firstGuess` is the estimated length of a run before the first measurement.
    init(runs: Int, firstGuess: Duration, clock: any RunClock) {
        runCount = runs
        self.firstGuess = firstGuess
        self.clock = clock
        start = clock.now()
    }

    mutating func countRun() { completedRunCount += 1 }

    var remaining: String {
        let runSeconds =
            completedRunCount > 0
            ? Double(clock.now() - start) / Double(completedRunCount) / 1e9 : firstGuess.inSeconds
        let remainingRunCount = runCount - completedRunCount
        return "about \(Self.text(seconds: runSeconds * Double(remainingRunCount))) left"
    }

    /// Returns a time as text, rounded up to whole seconds.
    ///
    /// Times above 30 seconds are rounded up to a multiple of five.
    static func text(seconds: Double) -> String {
        var whole = Int(max(1, seconds).rounded(.up))
        if whole > 30 { whole = (whole + 4) / 5 * 5 }
        guard whole >= 60 else { return "\(whole) s" }
        return whole % 60 == 0 ? "\(whole / 60) min" : "\(whole / 60) min \(whole % 60) s"
    }
}

/// A type that determines whether the next step of a similar length fits into a time limit.
struct TimeLimit {
    private let clock: any RunClock
    private let end: UInt64
    /// The end of the last step.
    private var last: UInt64
    private var longest: UInt64 = 0

    init(_ limit: Duration, clock: any RunClock) {
        self.clock = clock
        last = clock.now()
        end = last + limit.wholeNanoseconds
    }

    /// Records the end of a step, and returns whether a step as long as the longest so far fits
    /// into the remaining time.
    mutating func fitsAnotherStep() -> Bool {
        let now = clock.now()
        longest = max(longest, now - last)
        last = now
        return now + longest <= end
    }
}

extension RunOptions {
    /// Returns the reason for each client that at least one arm cannot run, keyed by the client's
    /// name.
    ///
    /// Each arm opens an empty database for the check.
    ///
    /// - Parameters:
    ///   - clients: The clients to check.
    ///   - arms: The arms. A client's reason comes from the first arm that cannot run the client.
    ///   - factory: The factory that opens the arms.
    ///   - reason: A function that returns the reason that a client cannot run on an arm's target,
    ///     if any.
    /// - Returns: The reasons.
    /// - Throws: The library's error if an arm cannot be opened.
    func obstacles(
        to clients: [Client],
        on arms: [Arm],
        factory: any WorkloadTargetFactory,
        reason: (Client, Arm, any WorkloadTarget) -> String?
    ) throws -> [String: String] {
        let folder = folder.appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try PrivateFolder.create(at: folder)
        defer { try? FileManager.default.removeItem(at: folder) }
        var reasons: [String: String] = [:]
        for arm in arms {
            let file = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
            let target = try factory.open(arm, at: file.path)
            for client in clients where reasons[client.name] == nil {
                reasons[client.name] = reason(client, arm, target)
            }
            try target.close()
        }
        return reasons
    }
}

extension Scenario {
    /// The minimum warm-up of a run, unless the block is too short.
    private static let minimumWarmUp = Duration.milliseconds(500)

    /// The minimum of the limit on the time to wait for unfinished accesses.
    private static let minimumDrain = Duration.milliseconds(500)

    /// Returns the scenario with its phases, including a warm-up, scaled to the length of a block.
    ///
    /// - Throws: `ScenarioError` if a time in the scenario exceeds the length of the block.
    func scaled(toBlock duration: Duration) throws(ScenarioError) -> Scenario {
        var scenario = try scaled(toMeasured: duration)
        // Limit the drain. Otherwise, the wait for accesses that never end could be as long as the
        // block.
        scenario.drain = min(scenario.drain, max(Self.minimumDrain, duration / 6))
        let minimum = min(Self.minimumWarmUp, duration / 2)
        let warmUp = scenario.phases.prefix { !$0.isMeasured }
        let length = warmUp.reduce(Duration.zero) { $0 + $1.duration }
        if length == .zero {
            scenario.phases.insert(
                Phase(name: "warm-up", duration: minimum, isMeasured: false),
                at: 0
            )
        } else if length < minimum {
            for index in warmUp.indices {
                scenario.phases[index].duration =
                    scenario.phases[index].duration * (minimum / length)
            }
        }
        return scenario
    }
}
