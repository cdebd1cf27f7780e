import Foundation
import Scenarios
import Telemetry
import Text
import WorkloadEngine

/// An object that compares arms at each value of a setting within a time limit.
///
/// Call ``rehearse()``, which measures the overhead of a run and divides the time, and then
/// ``run(_:)``. All methods are safe to call from any thread.
package final class SweepRun: Sendable {
    private let scenario: Scenario
    private let factory: any WorkloadTargetFactory
    private let sweep: ComparisonSweep
    private let options: ComparisonOptions
    private let blocks: Int?
    private let duration: Duration?
    private let limit: Duration
    private let trials: TrialRunner
    private let datasets: DatasetStore

    private struct State: Sendable {
        var comparison: ComparisonRun?
        var isStopped = false
    }

    private let state = Lock(State())

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - sweep: The values and the arms.
    ///   - scenario: The scenario.
    ///   - factory: The factory that opens the arms.
    ///   - options: The options of the comparison. Its blocks and its duration are ignored.
    ///   - blocks: The number of blocks, or `nil` for a sufficient number.
    ///   - duration: The length of each run's measured part, or `nil` for as long as possible.
    ///   - limit: The time limit for the rehearsal and all runs.
    package init(
        _ sweep: ComparisonSweep,
        of scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: ComparisonOptions,
        blocks: Int?,
        duration: Duration?,
        limit: Duration
    ) {
        self.sweep = sweep
        self.scenario = scenario
        self.factory = factory
        self.blocks = blocks
        self.duration = duration
        self.limit = limit
        datasets = DatasetStore(in: options.run.folder)
        var options = options
        options.run.datasets = datasets
        options.sweep = sweep
        self.options = options
        trials = TrialRunner(factory, options: options.run, limit: limit)
    }

    /// Ends the comparison early, so that ``run(_:)`` returns the completed blocks.
    package func stop() {
        trials.stop()
        let comparison = state.withLock { state in
            state.isStopped = true
            return state.comparison
        }
        comparison?.stop()
    }

    /// Builds the data, runs the first and the last arm briefly to measure the overhead of a run,
    /// and divides the remaining time.
    ///
    /// If ``stop()`` ends this method, ``run(_:)`` returns immediately.
    ///
    /// - Throws: `RunError` or `ScenarioError` if the time is too short. The message contains a
    ///   sufficient limit.
    package func rehearse() async throws -> SweepSchedule {
        // Report a limit that is far too short before anything runs.
        let guess = try schedule(within: limit, overhead: 0)
        do {
            for variant in [sweep.variants.first, sweep.variants.last].compactMap({ $0 }) {
                let brief = try? variant.scenario.scaled(toBlock: .milliseconds(250))
                _ = try await trials.run(
                    brief ?? variant.scenario,
                    on: variant.arm,
                    datasetSeed: scenario.seed
                )
            }
        } catch TrialRunner.End.stopped {
            return guess
        } catch TrialRunner.End.timedOut {
            return try schedule(within: .zero, overhead: trials.overhead)
        }
        return try schedule(within: remaining, overhead: trials.overhead)
    }

    private var remaining: Duration { .seconds(max(0, limit.inSeconds - trials.elapsed)) }

    private func schedule(within limit: Duration, overhead: Double) throws -> SweepSchedule {
        let plan = try ComparisonPlan(
            scenario,
            arms: sweep.variants.map(\.arm),
            options: options.with(blocks: blocks ?? ComparisonOptions.maximumBlocks)
        )
        let tests = plan.primary.count * plan.pairs.count
        return try SweepSchedule(
            of: limit,
            for: sweep.variants.first?.scenario ?? scenario,
            slots: plan.slots.count,
            tests: tests,
            blocks: blocks,
            duration: duration,
            overhead: overhead
        )
    }

    /// Runs all blocks.
    ///
    /// - Throws: The same errors as ``ComparisonRun/run()``.
    package func run(_ schedule: SweepSchedule) async throws -> ComparisonResult {
        defer { datasets.remove() }
        var options = options.with(blocks: schedule.blocks)
        options.duration = schedule.duration
        options.limit = remaining
        let comparison = ComparisonRun(scenario: scenario, factory: factory, options: options)
        let isStopped = state.withLock { state in
            state.comparison = comparison
            return state.isStopped
        }
        if isStopped { comparison.stop() }
        return try await comparison.run()
    }
}

extension ComparisonOptions {
    fileprivate func with(blocks: Int) -> ComparisonOptions {
        var options = self
        options.blocks = blocks
        return options
    }
}

/// The division of a time limit among the runs of a sweep.
package struct SweepSchedule: Sendable, Equatable {
    /// The number of blocks.
    package let blocks: Int
    /// The length of each run's measured part.
    package let duration: Duration
    /// The number of runs.
    package let runs: Int
    /// The approximate total time.
    package let time: Duration

    /// The minimum number of blocks unless the user specifies another number.
    private static let usualBlocks = 8
    private static let shortest = Duration.milliseconds(250)
    private static let longest = Duration.seconds(3)
    private static let step = Duration.milliseconds(50)
    /// The planned share of the time.
    ///
    /// The rest is a reserve for delays caused by other work on the machine.
    private static let plannedShare = 0.9

    /// Divides the time.
    ///
    /// - Parameters:
    ///   - limit: The time for all runs.
    ///   - scenario: The scenario.
    ///   - slots: The number of runs in each block.
    ///   - tests: The number of tests for Holm's correction.
    ///   - blocks: The number of blocks, or `nil` for one more than the tests require.
    ///   - duration: The length of each run's measured part, or `nil` for as long as possible.
    ///   - overhead: The time that a run takes in addition to its phases, in seconds.
    /// - Throws: `RunError` if the time is too short, or `ScenarioError` if a time in the
    ///   scenario exceeds the length of a run. The message states a sufficient limit.
    init(
        of limit: Duration,
        for scenario: Scenario,
        slots: Int,
        tests: Int,
        blocks: Int?,
        duration: Duration?,
        overhead: Double
    ) throws {
        let blocks = blocks ?? max(Self.usualBlocks, BlockCount.minimum(tests: tests) + 1)
        let runs = slots * blocks
        func total(_ measured: Duration) throws -> Double {
            let phases = try scenario.scaled(toBlock: measured).phases
            let length = phases.reduce(Duration.zero) { $0 + $1.duration }.inSeconds
            return Double(runs) * (length + overhead)
        }
        let usable = limit.inSeconds * Self.plannedShare
        var measured = duration ?? Self.longest
        var needed = 0.0
        var problem = ""
        repeat {
            let seconds: Double
            do { seconds = try total(measured) } catch {
                guard needed > 0 else {
                    throw RunError(
                        .scenario,
                        "\(error); runs of \(measured.lengthText) are too short for this scenario, so "
                            + "specify a longer --duration, or the time as a percentage"
                    )
                }
                problem = " (\(error))"
                break
            }
            if seconds <= usable {
                self.blocks = blocks
                self.duration = measured
                self.runs = runs
                time = .seconds(seconds)
                return
            }
            needed = seconds
            measured -= Self.step
        } while duration == nil && measured >= Self.shortest
        // Before the first run, the overhead is unknown. Allow a tenth more, because it varies.
        let unknown = Double(runs) * max(0, TrialRunner.guess - overhead)
        let minutes = (needed + unknown) * 1.1 / Self.plannedShare / 60
        throw RunError(
            .scenario,
            "\(runs) runs (\(HumanUnits.counted(slots, "run")) in each of \(blocks) blocks) take at "
                + "least \(Int(needed.rounded(.up))) s, but --within leaves only "
                + "\(Int(usable)) s; choose "
                + (duration == nil ? "" : "a shorter --duration, ")
                + "fewer values, or --within \(Int(minutes.rounded(.up)))m\(problem)"
        )
    }
}

extension Duration {
    /// The length of a run, such as `250 ms` or `2 s`.
    package var lengthText: String {
        let milliseconds =
            components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds.isMultiple(of: 1_000)
            ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms"
    }
}
