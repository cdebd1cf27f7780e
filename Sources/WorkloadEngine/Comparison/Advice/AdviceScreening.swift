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

    /// The improvement factor from which a candidate is confirmed without another round.
    private static let obviousFactor = 2.0
    /// The smallest ratio of an obvious effect to the noise, as logarithms.
    private static let minimumSignal = 6.0

    /// Runs all rounds and adds the results to the candidates.
    ///
    /// An obvious effect ends the screening, because the time is better spent on its confirmation.
    ///
    /// `plan` contains the number of candidates in each round, and the length of each run's
    /// measured part in seconds. Each round number has a seed.
    ///
    /// - Throws: ``TrialRunner/End``, or ``ScenarioError`` if a time in the scenario exceeds the length of
    ///   a run.
    func run(
        _ found: inout [ScreenedCandidate],
        _ plan: (rounds: [Int], seconds: Double),
        first: Int = 0
    ) async throws {
        let block = try scenario.scaled(toBlock: .seconds(plan.seconds))
        // The confirmation uses consecutive seeds, starting at the scenario's seed. The screening
        // must use different seeds.
        let seed = scenario.seed &+ 10_000
        var random = RandomStream(seed: scenario.seed, stream: "advice/order", worker: first)
        for (index, count) in plan.rounds.enumerated() where count > 0 {
            let round = first + index
            // Without a score, the candidates keep their order.
            let active = found.indices.filter { found[$0].problem == nil }
                .sorted { (-(found[$0].score ?? 0), $0) < (-(found[$1].score ?? 0), $1) }
                .prefix(count)
            let seeded = block.with(seed: seed &+ UInt64(round + 1))
            var present: [ComparisonMeasurement] = []
            var measured: [Int: ComparisonMeasurement] = [:]
            // The current arm's second run measures the noise.
            let slots = [nil] + (round == 0 ? [nil] : []) + active.map(Optional.some)
            for slot in slots.shuffled(using: &random) {
                guard let index = slot else {
                    present.append(try await measure(seeded, on: arm))
                    continue
                }
                let candidate = found[index].candidate
                do {
                    let run = try await measure(seeded, on: candidate.arm, candidate.batch)
                    found[index].problem = Self.problem(of: run.result)
                    measured[index] = run
                } catch let error as RunError {
                    found[index].problem = error.description
                }
            }
            guard let first = present.first else { return }
            for (index, run) in measured {
                let gains = present.compactMap { gain(of: run, over: $0) }
                found[index].gains.append(
                    gains.isEmpty ? nil : gains.reduce(0, +) / Double(gains.count)
                )
            }
            if let second = present.dropFirst().first, let control = gain(of: second, over: first) {
                let noise = Self.noise(of: found, control: control)
                for index in found.indices { found[index].noise = noise }
                let best =
                    found.filter { !$0.candidate.weakensDurability }
                    .compactMap(\.score).max() ?? 0
                if best >= max(log(Self.obviousFactor), Self.minimumSignal * noise) { return }
            }
        }
    }

    /// The share of the scores, lowest first, that estimates the noise.
    private static let noiseShare = 0.6

    /// Estimates the noise of a score, as a logarithm.
    ///
    /// Most candidates have no effect, and effects raise a score. The noise is therefore the median
    /// absolute deviation of the lower scores.
    static func noise(of found: [ScreenedCandidate], control: Double) -> Double {
        let scores = (found.compactMap(\.score) + [control]).sorted()
        let lower = scores.prefix(Int((Double(scores.count) * noiseShare).rounded(.up)))
        guard lower.count >= 3 else { return abs(control) }
        let median = lower[lower.count / 2]
        let deviations = lower.map { abs($0 - median) }.sorted()
        // 1.4826 is the ratio of the standard deviation of a normal distribution to it.
        return max(1.4826 * deviations[deviations.count / 2], abs(control) / 2)
    }

    private func measure(
        _ block: Scenario,
        on arm: Arm,
        _ batch: WriteBatch? = nil
    ) async throws -> ComparisonMeasurement {
        onProgress?("screening: \(arm.name)")
        return try await trials.measure(
            batch?.applied(to: block) ?? block,
            on: arm,
            datasetSeed: scenario.seed,
            batch: batch
        )
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
