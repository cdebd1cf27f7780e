import Foundation
import Telemetry

/// A type that screens candidates in rounds of short runs, keeping the better candidates for the
/// next round.
struct AdviceScreening {
    let scenario: Scenario
    let arm: Arm
    let metrics: [ComparisonMetric]
    let trials: TrialRunner
    let onProgress: (@Sendable (String) -> Void)?

    /// Runs all rounds and adds the results to the candidates.
    ///
    /// `plan` contains the number of candidates in each round, and the length of each run's
    /// measured part in seconds.
    ///
    /// - Throws: ``TrialRunner/End``, or ``ScenarioError`` if a time in the scenario exceeds the length of
    ///   a run.
    func run(
        _ found: inout [ScreenedCandidate],
        _ plan: (rounds: [Int], seconds: Double)
    ) async throws {
        let block = try scenario.scaled(toBlock: .seconds(plan.seconds))
        // The confirmation uses consecutive seeds, starting at the scenario's seed. The screening
        // must use different seeds.
        let seed = scenario.seed &+ 10_000
        var random = RandomStream(seed: scenario.seed, stream: "advice/order")
        for (round, count) in plan.rounds.enumerated() {
            let active = found.indices.filter { found[$0].problem == nil }
                .sorted { (found[$0].score ?? 0) > (found[$1].score ?? 0) }
                .prefix(count)
            let seeded = block.with(seed: seed &+ UInt64(round + 1))
            var present: ComparisonMeasurement?
            var measured: [Int: ComparisonMeasurement] = [:]
            for slot in ([nil] + active.map(Optional.some)).shuffled(using: &random) {
                guard let index = slot else {
                    present = try await measure(seeded, on: arm)
                    continue
                }
                do {
                    let run = try await measure(seeded, on: found[index].candidate.arm)
                    found[index].problem = Self.problem(of: run.result)
                    measured[index] = run
                } catch let error as RunError {
                    found[index].problem = error.description
                }
            }
            guard let present else { return }
            for (index, run) in measured {
                found[index].gains.append(gain(of: run, over: present))
            }
        }
    }

    private func measure(_ block: Scenario, on arm: Arm) async throws -> ComparisonMeasurement {
        onProgress?("screening: \(arm.name)")
        return try await trials.measure(block, on: arm, datasetSeed: scenario.seed)
    }

    private static func problem(of run: ArmResult) -> String? {
        run.unsupported?.sorted { $0.key < $1.key }.first.map { client, reason in
            "\(client) did not run: \(reason)"
        }
    }

    /// Returns the mean logarithm of the improvement factors, or `nil` if no metric has values in
    /// both runs.
    private func gain(
        of changed: ComparisonMeasurement,
        over present: ComparisonMeasurement
    ) -> Double? {
        var gains: [Double] = []
        for metric in metrics {
            guard let (a, b) = Self.values(of: metric, present, changed) else { continue }
            let smallest = metric.smallest(seconds: present.result.duration)
            let change = log(max(a, smallest) / max(b, smallest))
            gains.append(metric.isLowerBetter ? change : -change)
        }
        guard !gains.isEmpty else { return nil }
        return gains.reduce(0, +) / Double(gains.count)
    }

    /// Returns the values of the highest percentile with enough samples in both runs.
    private static func values(
        of metric: ComparisonMetric,
        _ present: ComparisonMeasurement,
        _ changed: ComparisonMeasurement
    ) -> (Double, Double)? {
        var metric: ComparisonMetric? = metric
        while let current = metric {
            if let a = present.value(of: current), let b = changed.value(of: current) {
                return (a, b)
            }
            metric = current.lowerPercentile
        }
        return nil
    }
}
