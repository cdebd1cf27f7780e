import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

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
    /// - Throws: ``TrialRunner/End``, or `ScenarioError` if a time in the scenario exceeds the length of
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
                    let run = try await measure(seeded, on: candidate.arm, batch: candidate.batch)
                    found[index].problem = Self.problem(of: run.result)
                    measured[index] = run
                } catch let error as RunError {
                    found[index].problem = error.description
                }
            }
            guard let first = present.first else { return }
            for (index, run) in measured {
                let gains = present.map { self.gains(of: run, over: $0) }.filter { !$0.isEmpty }
                func mean(_ values: [Double]) -> Double? {
                    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
                }
                found[index].gains.append(mean(gains.compactMap(mean)))
                found[index].isOpen =
                    found[index].isOpen || present.contains { self.isOpen(run, over: $0) }
                mean(gains.compactMap { $0.min() }).map { found[index].worst.append($0) }
            }
            if let second = present.dropFirst().first {
                let differences = gains(of: second, over: first)
                guard !differences.isEmpty else { continue }
                let control = differences.reduce(0, +) / Double(differences.count)
                let noise = Self.noise(of: found, control: control)
                for index in found.indices { found[index].noise = noise }
                let best =
                    found.filter { !$0.candidate.weakensDurability && !$0.isTradeOff }
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
        batch: WriteBatch? = nil
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

    /// Returns the logarithms of the improvement factors of the metrics with values in both runs.
    private func gains(
        of changed: ComparisonMeasurement,
        over present: ComparisonMeasurement
    ) -> [Double] {
        metrics.compactMap { metric in
            guard let metric = Self.comparable(metric, present, changed: changed),
                let a = present.value(of: metric), let b = changed.value(of: metric)
            else { return nil }
            let smallest = metric.smallest(seconds: present.result.duration)
            let change = log(max(a, smallest) / max(b, smallest))
            return metric.isLowerBetter ? change : -change
        }
    }

    /// Whether accesses that did not end may hide an effect.
    private func isOpen(
        _ changed: ComparisonMeasurement,
        over present: ComparisonMeasurement
    ) -> Bool {
        metrics.contains { metric in
            guard let metric = Self.comparable(metric, present, changed: changed) else {
                return metric.percentile != nil
            }
            return present.isLowerBound(of: metric) || changed.isLowerBound(of: metric)
        }
    }

    /// Returns the highest percentile with enough samples in both runs, of which one is not
    /// overloaded, or else the mean of fewer samples.
    ///
    /// A screening only selects candidates, and the mean of a few accesses shows a large effect.
    private static func comparable(
        _ metric: ComparisonMetric,
        _ present: ComparisonMeasurement,
        changed: ComparisonMeasurement
    ) -> ComparisonMetric? {
        var metric: ComparisonMetric? = metric
        while let current = metric {
            if present.value(of: current) != nil, changed.value(of: current) != nil,
                !present.isLowerBound(of: current) || !changed.isLowerBound(of: current)
            {
                return current
            }
            metric = current.lowerPercentile ?? current.mean
        }
        return nil
    }
}

/// A candidate with its screening results.
struct ScreenedCandidate: Sendable {
    let candidate: AdviceCandidate
    /// For each round, the mean logarithm of the improvement factors, or `nil` if no metric has
    /// values in both runs.
    var gains: [Double?] = []
    /// For each round with values, the logarithm of the improvement factor of the metric that
    /// improved least.
    var worst: [Double] = []
    /// The noise of a score after one round, as a logarithm.
    var noise = 0.0
    /// Whether accesses that did not end may hide an effect.
    var isOpen = false
    /// The reason that the candidate could not be measured, if any.
    var problem: String?

    init(_ candidate: AdviceCandidate) { self.candidate = candidate }

    /// The mean logarithm of the improvement factors over all rounds, or `nil` if there are no
    /// values.
    var score: Double? {
        let known = gains.compactMap { $0 }
        guard problem == nil, !known.isEmpty else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    func result(_ verdict: AdviceResult.Verdict) -> AdviceResult.Candidate {
        AdviceResult.Candidate(
            name: candidate.arm.name,
            change: candidate.change,
            cost: candidate.cost,
            weakensDurability: candidate.weakensDurability,
            finding: candidate.finding,
            verdict: problem == nil ? verdict : .failed,
            screening: score.map { exp($0).rounded(toDigits: 3) },
            bound: verdict == .notPromising ? bound : nil,
            problem: problem
        )
    }

    /// The factor above which the screening excludes an effect, or `nil` if there are no values or
    /// if accesses that did not end may hide any effect.
    ///
    /// A mean of few runs is within two standard deviations in 19 of 20 cases.
    private var bound: Double? {
        guard !isOpen else { return nil }
        return score.map { score in
            let deviation = noise / Double(max(1, gains.count)).squareRoot()
            return exp(max(score, 0) + 2 * deviation).rounded(toDigits: 3)
        }
    }
}

extension ScreenedCandidate {
    /// The improvement factor above which a candidate is promising.
    private static let minimumFactor = 1.05

    /// Whether the screening measured the candidate, or found that it cannot run.
    var isTested: Bool { problem != nil || !gains.isEmpty }

    /// The factor by which a trade-off makes a metric worse.
    private static let tradeOffFactor = 1.25

    /// Whether a metric was so much worse in the screening that the candidate probably is a
    /// trade-off, however much others improved.
    var isTradeOff: Bool {
        guard !worst.isEmpty else { return false }
        let mean = worst.reduce(0, +) / Double(worst.count)
        let deviation = noise / Double(worst.count).squareRoot()
        return mean < -max(log(Self.tradeOffFactor), 3 * deviation)
    }

    /// Whether the improvement in the screening exceeds its noise.
    var isPromising: Bool {
        let deviation = noise / Double(max(1, gains.count)).squareRoot()
        return (score ?? 0) > max(log(Self.minimumFactor), min(deviation, log(1.5)))
    }

    /// Returns why another candidate of the same kind was confirmed instead of this one.
    func reason(instead other: ScreenedCandidate) -> String {
        let title = other.candidate.title
        if let score, other.score ?? 0 >= score {
            return "\(title) was better in the screening"
        }
        let advantage =
            candidate.weakensDurability && !other.candidate.weakensDurability
            ? ", which keeps durability,"
            : isTradeOff
                ? ", which made nothing much worse,"
                : candidate.isIndex && score != nil ? ", with fewer indexes," : ""
        return "\(title)\(advantage) was tested instead"
    }

    /// The order of candidates for the confirmation, smallest first.
    fileprivate var rank: (tradeOff: Int, finding: Int, gain: Double) {
        (isTradeOff ? 1 : 0, candidate.finding ?? .max, -(score ?? 0))
    }

    /// Returns the result of a candidate that was not confirmed, for a reason, or, without one, for
    /// lack of time.
    ///
    /// `needed` is the time limit with which the search would confirm the candidate, in seconds.
    func notTested(_ reason: String?, needed: Double) -> AdviceResult.Candidate {
        var result = result(.notConfirmed)
        guard result.verdict == .notConfirmed else { return result }
        let minutes = Int(max(1, (needed / 60).rounded(.up)))
        result.reason = reason ?? "needs \(minutes) min (--within \(minutes)m)"
        if reason == nil { result.neededSeconds = needed.rounded(.up) }
        return result
    }
}

extension [ScreenedCandidate] {
    /// The minimum score of a candidate for the confirmation, as a share of the best score.
    private static var minimumShare: Double { 0.25 }

    var promising: [ScreenedCandidate] {
        filter(\.isPromising).sorted { ($0.score ?? 0) > ($1.score ?? 0) }
    }

    /// Returns the candidates for the confirmation, with at most one candidate of each kind.
    ///
    /// Candidates that preserve durability come first, and of these, those that are no trade-off,
    /// those that answer a finding, and those with the highest score.
    /// Candidates with scores far below the best score are omitted to allow longer runs of the
    /// remaining candidates.
    func chosen(atMost count: Int) -> [ScreenedCandidate] {
        // The gain of a trade-off, such as that of 1,000 writes in each transaction, says nothing
        // about the value of a candidate that makes nothing worse.
        let preserving = promising.filter { !$0.candidate.weakensDurability }
        let best = preserving.first { !$0.isTradeOff } ?? preserving.first
        // One screening run may not show what larger transactions make worse, and they change the
        // program. A setting that removes the same cause is therefore confirmed beside them.
        let cause = best?.candidate.batch == nil ? nil : best?.candidate.finding
        let ranked = promising.filter {
            ($0.score ?? 0) >= (best?.score ?? 0) * Self.minimumShare
                || cause != nil && $0.candidate.finding == cause && !$0.isTradeOff
                    && !$0.candidate.weakensDurability
        }
        .sorted { $0.rank < $1.rank }
        var chosen: [ScreenedCandidate] = []
        for tried in ranked.filter({ !$0.candidate.weakensDurability })
            + ranked.filter(\.candidate.weakensDurability)
        where chosen.count < count {
            let isRepeated = chosen.contains {
                $0.candidate.kind == tried.candidate.kind || $0.candidate.contains(tried.candidate)
            }
            guard !isRepeated else { continue }
            chosen.append(ranked.simplest(as: tried))
        }
        return chosen
    }

    /// Returns the candidate with the fewest statements among those that change the same as another one
    /// and are, within the noise, as good.
    private func simplest(as best: ScreenedCandidate) -> ScreenedCandidate {
        let score = (best.score ?? 0) - Swift.max(best.noise, Self.smallestDifference)
        return filter {
            $0.candidate.kind == best.candidate.kind && !$0.isTradeOff
                && $0.candidate.arm.setup.count < best.candidate.arm.setup.count
                && ($0.score ?? 0) >= score
        }.min { $0.candidate.arm.setup.count < $1.candidate.arm.setup.count } ?? best
    }

    /// The difference of two scores from which a candidate with more indexes is better.
    private static var smallestDifference: Double { log(1.1) }
}
