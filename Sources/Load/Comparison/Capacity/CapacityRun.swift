import Foundation
import Scenarios
import Text
import WorkloadEngine

/// An object that searches for the highest rate that each arm sustains, and compares the arms at
/// equal load.
///
/// All methods are safe to call from any thread. Call ``run()`` once.
package final class CapacityRun: Sendable {
    /// The default reader counts to try for a rate.
    package static let defaultReaders = [1, 2, 3, 4, 6, 8, 12, 16]

    let scenario: Scenario
    let options: CapacityOptions
    private let trials: TrialRunner
    let load: OfferedLoad
    private let criteria: CapacityCriteria
    /// The shortest measured part of a run, which contains an access of each unchanged client that
    /// holds locks.
    private let shortest: Duration

    /// Creates a search.
    ///
    /// Call ``run()`` to start it.
    ///
    /// - Throws: `RunError` if the search cannot vary the scenario's rate, or `ScenarioError`
    ///   if a time in the scenario exceeds the length of a run.
    package init(
        scenario: Scenario,
        factory: any WorkloadTargetFactory,
        options: CapacityOptions
    ) throws {
        self.scenario = scenario
        self.options = options
        load = try OfferedLoad(scenario)
        criteria = CapacityCriteria(
            scenario,
            load,
            additional: options.thresholds,
            limit: options.latencyLimit
        )
        shortest = max(options.duration, load.representativeTime)
        // Report a time that exceeds the length of a run before the search starts.
        _ = try scenario.scaled(toMeasured: shortest)
        trials = TrialRunner(factory, options: options.run, limit: options.timeLimit)
    }

    /// The descriptions of the load and the criteria, to print before the search.
    package var plan: (load: String, criteria: [String]) { (load.sentence, criteria.lines) }

    /// Returns the time that the search is expected to need, and the maximum time.
    package func estimate() -> (likely: Duration, most: Duration) {
        let start = load.ownRate ?? 1_000
        let short = length(at: start, isLong: false).inSeconds * 1.1 + TrialRunner.guess
        let long = length(at: start, isLong: true).inSeconds * 1.1 + TrialRunner.guess
        let count = Double(variants.count)
        var seconds = count * (8 * short + 3 * long)
        if count > 1 { seconds += count * Double(options.equalLoads.count) * long }
        if options.rate != nil {
            let pools = scenario.arms.count { arm in
                options.arms.contains(arm.name) && arm.kind == .pool
            }
            seconds += Double(pools) * (5 * short + long)
        }
        return (.seconds(seconds), options.timeLimit)
    }

    /// Ends the search early, so that ``run()`` returns the capacities found so far.
    package func stop() { trials.stop() }

    struct Variant {
        var arm: Arm
        var readers: Int?

        var title: String { readers.map { "\(arm.name), readers \($0)" } ?? arm.name }
    }

    /// Runs the search.
    ///
    /// - Throws: `RunError` if a trial fails.
    package func run() async throws -> CapacityResult {
        defer { trials.close() }
        var result = CapacityResult(
            schema: CapacityResult.schemaName,
            scenario: scenario.name,
            seed: scenario.seed,
            environment: HostEnvironment(
                in: options.run.folder,
                scenario: scenario,
                versions: options.versions
            ),
            partial: false,
            load: .init(
                origin: load.origin,
                clients: load.parts,
                background: load.background,
                sentence: load.sentence
            ),
            criteria: criteria.lines,
            precision: options.precision,
            runSeconds: .init(
                short: shortest.inSeconds,
                long: shortest.inSeconds * Self.longFactor
            ),
            arms: []
        )
        do {
            try await findCapacities(into: &result)
            if let rate = options.rate { try await findReaders(for: rate, into: &result) }
            try await compare(into: &result)
        } catch TrialRunner.End.stopped {
            result.partial = true
            result.partialReason = CapacityResult.stopped
        } catch TrialRunner.End.timedOut {
            result.partial = true
            result.partialReason =
                "the time limit was reached "
                + "(--within \(ReportUnits.seconds(options.timeLimit.inSeconds)))"
        } catch let error as RunError
            where error.code != .scenario && result.arms.contains(where: { $0.capacity != nil })
        {
            // Report this failure together with the capacities that were found before.
            result.partial = true
            result.partialReason = error.description
        }
        if let reason = result.partialReason {
            for index in result.arms.indices where result.arms[index].isOpen {
                result.arms[index].unanswered = reason
            }
        }
        result.settings = trials.settings
        return result
    }

    var variants: [Variant] {
        scenario.arms.filter { options.arms.contains($0.name) }.flatMap { arm in
            guard arm.hasReaders, !options.readers.isEmpty else {
                return [Variant(arm: arm)]
            }
            return options.readers.map { count in
                var changed = arm
                changed.readers = count
                return Variant(arm: changed, readers: count)
            }
        }
    }

    // MARK: One trial

    private static let longFactor = 3.0
    /// The maximum factor by which a short run is extended to collect more samples.
    private static let maximumShortFactor = 5.0

    func trial(
        _ variant: Variant,
        at rate: Double,
        isLong: Bool
    ) async throws -> (ArmResult, CapacityCriteria.Verdict) {
        let time = isLong ? "long run" : "run"
        options.onProgress?("\(variant.title): \(time) at \(ReportUnits.rate(rate))")
        let duration = length(at: rate, isLong: isLong)
        let scaled = try load.scenario(at: rate).scaled(toMeasured: duration)
        // Use different random arrivals at each rate, and for short and long runs.
        let seed = scenario.seed &+ UInt64(rate * 1_000) &+ (isLong ? 1 : 0)
        let result = try await trials.run(
            scaled.with(seed: seed),
            on: variant.arm,
            datasetSeed: scenario.seed
        )
        return (result, criteria.verdict(of: result))
    }

    /// Returns the length of a run's measured part.
    ///
    /// A long run collects enough samples for each percentile in the criteria.
    private func length(at rate: Double, isLong: Bool) -> Duration {
        let full =
            load.parts.map { part -> Double in
                // Add a tenth, because the number of arrivals is random.
                let samples = Double(criteria.neededSamples(of: part.client)) * 1.1
                return samples / max(rate * part.share, 1e-6)
            }.max() ?? 0
        guard isLong else {
            let longest = shortest * Self.maximumShortFactor
            return max(shortest, min(longest, .seconds(full / 10)))
        }
        // The times in a scenario are whole milliseconds.
        let seconds = (full * 1_000).rounded(.up) / 1_000
        return max(shortest * Self.longFactor, .seconds(seconds))
    }

    /// Returns the starting rate, which is the scenario's rate or half of the closed loops'
    /// throughput.
    private func startingRate(of variant: Variant) async throws -> Double {
        if let rate = load.ownRate { return rate }
        options.onProgress?("\(variant.title): closed loop")
        let result = try await trials.run(
            scenario.scaled(toMeasured: shortest),
            on: variant.arm,
            datasetSeed: scenario.seed
        )
        let sum = load.parts.reduce(0) { $0 + (result.clients[$1.client]?.throughput ?? 0) }
        return max(1, sum / 2)
    }

    // MARK: Capacities

    private struct ArmSearch {
        let variant: Variant
        var search: CapacitySearch
        var floor = LatencyFloor()
        var isOver = false
        var hasTimedOut = false
    }

    /// Searches for the capacities of all arms.
    ///
    /// The arms alternate. A change in the machine's speed therefore affects all arms, and the
    /// capacities are similarly precise if the search ends early.
    private func findCapacities(into result: inout CapacityResult) async throws {
        result.arms = variants.map { variant in
            .init(
                arm: variant.arm.name,
                readers: variant.readers,
                confirmed: false,
                failureConfirmed: false,
                lowerBound: false,
                trials: []
            )
        }
        var searches: [ArmSearch] = []
        for variant in variants {
            let start = try await startingRate(of: variant)
            let search = CapacitySearch(start: start, precision: options.precision)
            searches.append(ArmSearch(variant: variant, search: search))
        }
        while searches.contains(where: { !$0.isOver }) {
            for index in searches.indices where !searches[index].isOver {
                try await advance(&searches[index], arm: &result.arms[index])
            }
        }
        if searches.contains(where: \.hasTimedOut) { throw TrialRunner.End.timedOut }
    }

    private func advance(
        _ state: inout ArmSearch,
        arm: inout CapacityResult.ArmCapacity
    ) async throws {
        let rate: Double
        let isLong: Bool
        switch state.search.step {
        case .probe(let value): (rate, isLong) = (value, false)
        case .confirm(let value), .refute(let value): (rate, isLong) = (value, true)
        case .done:
            state.isOver = true
            return
        }
        if isLong, let reason = shortage(at: rate) {
            arm.unanswered = reason
            state.hasTimedOut = true
            state.isOver = true
            return
        }
        let (run, verdict) = try await trial(state.variant, at: rate, isLong: isLong)
        arm.unsupported = run.unsupported
        try rejectUnsupported(run, variant: state.variant)
        arm.trials.append(Self.record(verdict, at: rate, isLong: isLong))
        if isLong, case .undecided(let reason) = verdict {
            arm.unanswered = reason
            state.isOver = true
            return
        }
        state.search.record(verdict.answer)
        Self.note(state.search.outcome, in: &arm)
        if isLong, verdict == .met { state.floor.hasMetCriteria = true }
        if case .missed = verdict {
            let clients = load.parts.map(\.client)
            let missed = criteria.missedThresholds(in: run)
            for miss in missed.isEmpty ? [criteria.miss(in: run)].compactMap({ $0 }) : missed {
                state.floor.add(miss, at: rate, of: run, clients: clients)
            }
        }
        if let cause = state.floor.cause {
            arm.noneAtAnyRate = cause
            state.isOver = true
        }
    }

    private func shortage(at rate: Double) -> String? {
        let seconds = length(at: rate, isLong: true).inSeconds
        guard seconds > trials.remaining else { return nil }
        return "a run with enough samples at \(ReportUnits.rate(rate)) takes "
            + "\(ReportUnits.seconds(seconds)), which exceeds the remaining time of --within"
    }

    /// Throws an error if an arm cannot run a client with a varied rate.
    ///
    /// Without this check, the arm would appear to sustain any rate.
    private func rejectUnsupported(_ run: ArmResult, variant: Variant) throws {
        for (client, reason) in run.unsupported ?? [:]
        where load.parts.contains(where: { $0.client == client }) {
            throw RunError(
                .scenario,
                "arm '\(variant.arm.name)' cannot run \(client), which has arrivals: \(reason); choose "
                    + "other --arms"
            )
        }
    }

    private static func record(
        _ verdict: CapacityCriteria.Verdict,
        at rate: Double,
        isLong: Bool
    ) -> CapacityResult.Trial {
        let rate = rate.rounded(toDigits: 3)
        return switch verdict {
        case .met: .init(rate: rate, long: isLong, met: true)
        case .missed(let reason): .init(rate: rate, long: isLong, met: false, reason: reason)
        case .undecided(let reason):
            .init(rate: rate, long: isLong, reason: reason, undecided: true)
        case .invalid(let reason): .init(rate: rate, long: isLong, reason: reason)
        }
    }

    private static func note(
        _ outcome: CapacitySearch.Outcome,
        in arm: inout CapacityResult.ArmCapacity
    ) {
        arm.capacity = outcome.rate?.rounded(toDigits: 3)
        arm.confirmed = outcome.isConfirmed
        arm.failsAt = outcome.failsAt?.rounded(toDigits: 3)
        arm.failureConfirmed = outcome.isRefuted
        arm.lowerBound = outcome.isLowerBound
        let limit = arm.failsAt
        let failed = arm.trials.last { $0.met == false && $0.rate == limit }
        let unknown = arm.trials.last { $0.met == nil && $0.undecided != true }
        arm.failure = (failed ?? unknown)?.reason
    }
}

extension CapacityCriteria.Verdict {
    fileprivate var answer: CapacitySearch.Answer {
        switch self {
        case .met: .passed
        case .missed: .failed
        case .undecided: .undecided
        case .invalid: .unknown
        }
    }

    var reason: String? {
        switch self {
        case .met: nil
        case .missed(let reason), .undecided(let reason), .invalid(let reason): reason
        }
    }
}

/// Options for a capacity search.
package struct CapacityOptions: Sendable {
    /// The arms, in the scenario's order.
    package var arms: [String]
    /// The length of a short run's measured part.
    ///
    /// A long run is at least three times as long.
    package var duration: Duration = .seconds(2)
    /// The relative precision of a capacity.
    package var precision = 0.05
    /// The reader counts to try with each pool, or an empty array for the scenario's counts.
    package var readers: [Int] = []
    /// The rate for which to find the smallest sufficient number of readers, in accesses/s, or
    /// `nil` to skip that search.
    package var rate: Double?
    /// The limit on the 99th percentile of response times, for clients without a latency threshold.
    package var latencyLimit: Duration = .milliseconds(50)
    /// Additional thresholds.
    package var thresholds: [Threshold] = []
    /// The loads at which to compare latencies, as shares of the slowest arm's capacity.
    package var equalLoads = [0.5, 0.7, 0.9]
    /// The time limit, after which the search ends with the capacities found so far.
    package var timeLimit: Duration = .seconds(900)
    /// The library versions to record in the result's environment.
    package var versions: [String: String] = [:]
    /// The options for each run.
    package var run = RunOptions()
    /// A function that receives a description of each trial before the trial starts.
    package var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for the given arms.
    package init(arms: [String]) { self.arms = arms }
}

extension CapacityRun {
    // MARK: Readers for a rate

    func findReaders(for rate: Double, into result: inout CapacityResult) async throws {
        let candidates = options.readers.isEmpty ? Self.defaultReaders : options.readers
        let pools = scenario.arms.filter {
            options.arms.contains($0.name) && $0.hasReaders
        }
        guard !pools.isEmpty else {
            throw RunError(
                .scenario,
                "--rate searches for a pool's number of readers, but no arm is a pool"
            )
        }
        result.readers = []
        for pool in pools {
            var search = ReaderSearch(candidates)
            var failures: [Int: String] = [:]
            while let step = search.step {
                var arm = pool
                arm.readers = step.readers
                let variant = Variant(arm: arm, readers: step.readers)
                let (_, verdict) = try await trial(variant, at: rate, isLong: true)
                if case .met = verdict {} else { failures[step.readers] = verdict.reason }
                search.record(verdict == .met)
            }
            let nextSmaller = search.candidates.last { $0 < search.smallest ?? .max }
            result.readers?.append(
                .init(
                    arm: pool.name,
                    rate: rate,
                    candidates: search.candidates,
                    smallest: search.smallest,
                    failure: nextSmaller.flatMap { failures[$0] }
                )
            )
        }
    }

    // MARK: Equal load

    func compare(into result: inout CapacityResult) async throws {
        let capacities = result.arms.compactMap(\.capacity)
        guard result.arms.count > 1, capacities.count == result.arms.count,
            let slowest = capacities.min()
        else { return }
        result.equalLoads = []
        for share in options.equalLoads {
            let rate = slowest * share
            result.equalLoads?.append(
                .init(share: share, rate: rate.rounded(toDigits: 3), arms: [])
            )
            guard let index = result.equalLoads?.indices.last else { return }
            for variant in variants {
                let (run, verdict) = try await trial(variant, at: rate, isLong: true)
                var responses: [String: CapacityResult.EqualLoad.Latency] = [:]
                for part in load.parts {
                    guard let response = run.clients[part.client]?.response else { continue }
                    responses[part.client] = .init(
                        p50: response.p50,
                        p99: response.p99,
                        p999: response.p999,
                        p9999: response.p9999,
                        max: response.max
                    )
                }
                result.equalLoads?[index].arms.append(
                    .init(
                        arm: variant.title,
                        response: responses,
                        missed: verdict.reason,
                        invalid: run.valid ? nil : true
                    )
                )
            }
        }
    }
}
