import Foundation
import Telemetry

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
    /// - Throws: ``RunError``, for example if there are too few blocks to show a difference, or
    ///   ``ScenarioError`` if a time in the scenario exceeds the length of a block.
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
                    order,
                    of: plan,
                    scenarios,
                    datasets,
                    &progress
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
        _ order: [Int],
        of plan: ComparisonPlan,
        _ scenarios: [Scenario],
        _ datasets: DatasetStore,
        _ progress: inout ComparisonProgress
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
            let responses = Lock<[String: LatencyHistogram]>([:])
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
                // A failed run also ends early, but its block is kept to report the failure.
                if result.partial, result.failures == nil { return nil }
                runs[slot] = ComparisonMeasurement(
                    result,
                    completed: responses.withLock { $0 },
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
