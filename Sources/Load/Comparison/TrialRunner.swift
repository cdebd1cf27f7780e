import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// An object that runs scenarios on arms, one after another and on the same data, within a time
/// limit.
///
/// All methods are safe to call from any thread.
final class TrialRunner: Sendable {
    enum End: Error {
        /// ``TrialRunner/stop()`` was called.
        case stopped
        /// The time limit was reached.
        case timedOut
    }

    private struct State: Sendable {
        var isStopped = false
        var current: WorkloadRun?
        /// The total time that all runs took in addition to their phases, in seconds.
        var totalOverhead = 0.0
        var runCount = 0
        /// The overhead of each arm's last run, in seconds, keyed by name.
        var overheads: [String: Double] = [:]
        var settings: [String: String] = [:]
    }

    private let factory: any WorkloadTargetFactory
    private let options: RunOptions
    private let datasets: DatasetStore
    private let ownsDatasets: Bool
    private let clock = MonotonicClock()
    private let start: UInt64
    private let limit: Double
    private let state = Lock(State())

    /// Creates a runner that starts a trial only if the trial is expected to end within `limit`.
    init(_ factory: any WorkloadTargetFactory, options: RunOptions, limit: Duration) {
        self.factory = factory
        self.options = options
        datasets = options.datasets ?? DatasetStore(in: options.folder)
        ownsDatasets = options.datasets == nil
        start = clock.now()
        self.limit = limit.inSeconds
    }

    func stop() {
        let current = state.withLock { state in
            state.isStopped = true
            return state.current
        }
        current?.stop()
    }

    func close() {
        if ownsDatasets { datasets.remove() }
    }

    /// The journal mode and `synchronous` setting of each arm that ran, if any.
    var settings: [String: String]? {
        let settings = state.withLock { $0.settings }
        return settings.isEmpty ? nil : settings
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    var elapsed: Double { Double(clock.now() - start) / 1e9 }

    /// The remaining time for the phases of the next run, in seconds.
    var remaining: Double { limit - elapsed - overhead }

    /// The mean overhead of a run, in seconds, or ``guess`` before the first run.
    ///
    /// The overhead is the time that a run takes in addition to its phases.
    var overhead: Double {
        state.withLock {
            $0.runCount > 0 ? $0.totalOverhead / Double($0.runCount) : Self.guess
        }
    }

    /// Returns the mean overhead of the given arms' last runs, in seconds.
    ///
    /// An overloaded arm has a larger overhead, because its last accesses are still running when a
    /// run ends. For an arm without runs, the method uses the mean of all runs.
    func overhead(of arms: [Arm]) -> Double {
        let mean = overhead
        let overheads = state.withLock { $0.overheads }
        guard !arms.isEmpty else { return mean }
        return arms.reduce(0) { $0 + (overheads[$1.name] ?? mean) } / Double(arms.count)
    }

    /// The assumed overhead of a run before the first measurement, in seconds.
    static let guess = 0.5
    private static let drain = Duration.milliseconds(500)

    /// Runs a scenario on an arm, and returns a measurement that includes skipped accesses in the
    /// response times.
    func measure(
        _ scenario: Scenario,
        on arm: Arm,
        datasetSeed: UInt64,
        batch: WriteBatch? = nil
    ) async throws -> ComparisonMeasurement {
        let responses = Lock<[String: ResponseTimes]>([:])
        let result = try await run(scenario, on: arm, datasetSeed: datasetSeed) { found in
            responses.withLock { $0 = found }
        }
        return ComparisonMeasurement(
            result,
            responses: responses.withLock { $0 },
            clients: scenario.clients,
            batch: batch
        )
    }

    /// Runs a scenario on an arm, without its thresholds and invariants.
    ///
    /// - Throws: ``End`` or `RunError`.
    func run(
        _ scenario: Scenario,
        on arm: Arm,
        datasetSeed: UInt64,
        onResponses: (@Sendable ([String: ResponseTimes]) -> Void)? = nil
    ) async throws -> ArmResult {
        var scenario = scenario
        scenario.thresholds = []
        scenario.invariants = []
        scenario.dataInvariants = []
        scenario.drain = min(scenario.drain, Self.drain)
        let length = scenario.phases.reduce(Duration.zero) { $0 + $1.duration }.inSeconds
        guard elapsed + length + overhead <= limit else { throw End.timedOut }
        var options = options
        options.datasets = datasets
        options.datasetSeed = datasetSeed
        // A trial may be shorter than an access of a background client.
        options.judgesUnfinished = false
        options.onResponses = onResponses
        let run = WorkloadRun(scenario: scenario, arm: arm, factory: factory, options: options)
        let isStopped = state.withLock { state in
            state.current = run
            return state.isStopped
        }
        if isStopped { throw End.stopped }
        let start = elapsed
        do {
            let result = try await run.run()
            if result.partial {
                // A run that fails ends early, too.
                guard let failure = result.failures?.first else { throw End.stopped }
                throw RunError(.failed, "arm '\(arm.name)' failed: \(failure)")
            }
            let overhead = max(0, elapsed - start - length)
            state.withLock { state in
                state.current = nil
                state.totalOverhead += overhead
                state.runCount += 1
                state.overheads[arm.name] = overhead
                state.settings[arm.name] = result.journalSettings
            }
            return result
        } catch is CancellationError {
            throw End.stopped
        }
    }
}
