import Findings
import Foundation
import Scenarios
import WorkloadEngine

/// The result of an advice search (`poolgauge.advice/1`).
///
/// Latencies are in nanoseconds, and throughputs are in accesses/s.
package struct AdviceResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    package static let schemaName = "poolgauge.advice/1"

    /// The schema's identifier, ``schemaName``.
    package var schema: String
    /// The answer in one sentence.
    package var answer: String
    /// The scenario's name.
    package var scenario: String
    /// The seed of all random choices.
    package var seed: UInt64
    /// The machine and the versions.
    package var environment: HostEnvironment
    /// The arm to which the candidates apply.
    package var arm: String
    /// The arm's journal mode and `synchronous` setting, or `nil` if they are unknown.
    package var settings: String?
    /// What failed or was slow in the run with the current settings, and why, or `nil` if nothing
    /// was found.
    package var findings: [Finding]?
    /// The primary metrics.
    package var primary: [String]
    /// Whether the search ended before completion.
    package var partial: Bool
    /// The reason that the search ended early, or `nil` if it was complete.
    package var partialReason: String?
    /// The number of pairs of runs that test each candidate, or 0 if there was no confirmation.
    package var blocks: Int
    /// The largest number of screening runs of a candidate, or the planned number if the search ended
    /// before.
    package var screeningRounds: Int
    /// The length of the measured part of a screening run, in seconds.
    package var screeningSeconds: Double
    /// The length of the measured part of a confirmation run, in seconds, or `nil` if there was no
    /// confirmation.
    package var confirmingSeconds: Double?
    /// The noise floor of each primary metric, as a ratio of at least 1, or `nil` if there was no
    /// confirmation.
    package var noiseFloor: [String: Double]?
    /// The candidates, ordered by verdict, then by the finding that they answer, and then by gain.
    ///
    /// Recommended candidates come first. Candidates that weaken durability come last.
    package var candidates: [Candidate]
    /// The warnings about the result, or `nil` if there are none.
    package var warnings: [String]?

    /// A proposed change with its outcome.
    package struct Candidate: Sendable, Codable, Equatable {
        /// The candidate's name.
        package var name: String
        /// The scenario line or SQL statement that makes the change.
        package var change: String
        /// A cost that the metrics do not show.
        package var cost: String
        /// Whether a power failure can lose commits that the current arm would keep.
        package var weakensDurability: Bool
        /// The index of the finding whose cause the change may remove, or `nil` if there is none.
        package var finding: Int?
        /// The outcome.
        package var verdict: Verdict
        /// The geometric mean of the factors by which the primary metrics improved in the
        /// screening, or `nil` if there are no values.
        package var screening: Double?
        /// The comparison of the primary metrics on fresh pairs of runs, or `nil` if there was no
        /// confirmation.
        package var confirmed: [ComparisonPair]?
        /// The other metrics that became worse, or `nil` if there are none.
        package var sideEffects: [ComparisonPair]?
        /// The response times of writing clients on fresh pairs of runs, or `nil` for candidates
        /// that do not add an index.
        package var writes: [ComparisonPair]?
        /// The factor above which an effect on the primary metrics is excluded, or `nil` if no run
        /// excludes one.
        package var bound: Double?
        /// The time limit with which the search would confirm the candidate, in seconds, or `nil`
        /// if time did not prevent the confirmation.
        package var neededSeconds: Double?
        /// The reason that a promising candidate was not confirmed, or `nil` if it was.
        package var reason: String?
        /// The reason that the candidate could not be measured, if any.
        package var problem: String?
    }

    /// A candidate's outcome.
    package enum Verdict: String, Sendable, Codable, Equatable {
        /// On fresh pairs of runs, a primary metric is better, and none is much worse; or clearly
        /// fewer accesses fail.
        case recommended
        /// On fresh pairs of runs, a primary metric is better, and another is much worse.
        case tradeOff
        /// Fresh pairs of runs show an improvement that is too small to justify a change.
        case small
        /// Fresh pairs of runs show no improvement.
        case noDifference
        /// A primary metric is worse, and none is better.
        case worse
        /// The candidate was not tested, or its promising screening was not confirmed, for the
        /// reason in ``Candidate/reason``.
        case notConfirmed
        /// The screening shows no improvement.
        case notPromising
        /// The candidate could not be measured.
        case failed
    }

    /// The recommended candidates: first those that answer a finding, and for each finding, those
    /// with the largest mean gain.
    package var recommended: [Candidate] {
        candidates.filter { $0.verdict == .recommended && !$0.weakensDurability }
    }

    /// The exit status of the command.
    ///
    /// The result is undecided if time prevented the confirmation of a candidate.
    package var exitStatus: ExitStatus {
        if partialReason == Self.stopped { return .interrupted }
        let isOpen = candidates.contains {
            $0.verdict == .notConfirmed && $0.neededSeconds != nil && !$0.weakensDurability
        }
        return partial || isOpen ? .undecided : .passed
    }

    /// The minimum improvement for a recommendation, and the minimum deterioration that prevents
    /// one, as a factor.
    package static let minimumEffect = 1.1
    /// The share of a client's accesses that must no longer fail for longer times to be acceptable.
    static let minimumSavedShare = 0.01
    /// The factor by which the throughput of a closed loop may fall if fewer accesses fail.
    static let maximumSlowdown = 2.0

    static let stopped = "stopped"
}

extension AdviceResult {
    /// Returns a confirmed candidate of the same kind as another one, or `nil` if there is none.
    func confirmed(
        sameKindAs tried: ScreenedCandidate,
        among found: [ScreenedCandidate]
    ) -> ScreenedCandidate? {
        found.first { other in
            other.candidate.kind == tried.candidate.kind
                && candidates.contains { $0.name == other.candidate.arm.name && $0.blocks > 0 }
        }
    }

    /// Adds the blocks, warnings, and noise floors of a confirmation.
    mutating func add(_ compared: ComparisonResult) {
        blocks = blocks == 0 ? compared.blocks : min(blocks, compared.blocks)
        let seconds = compared.blockDuration.rounded(toDigits: 3)
        confirmingSeconds = min(confirmingSeconds ?? seconds, seconds)
        // Omit failures of the current arm, because the search is expected to fix them.
        let failures = (compared.failedRuns ?? []).filter { !$0.contains(", \(arm): ") }
        let added =
            (compared.warnings ?? [])
            + ComparisonResult.grouped(failures).prefix(3)
            + ComparisonResult.grouped(compared.invalidRuns ?? []).prefix(3)
        if !added.isEmpty { warnings = (warnings ?? []) + added }
        let floors = compared.noiseFloor.filter { compared.primary.contains($0.key) }
        noiseFloor = (noiseFloor ?? [:]).merging(floors) { max($0, $1) }
    }

    /// Reports a failed run together with the candidates that were judged before it.
    mutating func end(after error: RunError) {
        partial = true
        partialReason = error.description
        for index in candidates.indices
        where candidates[index].neededSeconds != nil && candidates[index].blocks == 0 {
            candidates[index].reason = "a run failed"
            candidates[index].neededSeconds = nil
        }
    }

    /// Returns the verdict on a candidate.
    ///
    /// Users lose failed accesses first, then time. If fewer accesses fail, those that failed before
    /// now wait and take time, so longer times do not prevent a recommendation. A lower throughput
    /// does not if it costs fewer accesses than failed before. The throughput of a closed loop is
    /// also a time: it prevents one only if it falls to less than half.
    ///
    /// - Parameters:
    ///   - primaryPairs: The comparisons of the primary metrics.
    ///   - closedLoops: The names of the clients in a closed loop.
    ///   - savedShare: The share of a client's accesses that no longer fail, from 0 to 1.
    /// - Returns: The verdict.
    static func verdict(
        on primaryPairs: [ComparisonPair],
        closedLoops: Set<String> = [],
        savedShare: Double = 0
    ) -> Verdict {
        let losses = primaryPairs.filter { $0.deterioration != nil }
        guard let gain = primaryPairs.compactMap(\.improvement).max() else {
            return losses.isEmpty ? .noDifference : .worse
        }
        let isTradeOff = losses.contains { pair in
            let loss = pair.deterioration ?? .infinity
            guard savedShare >= minimumSavedShare, loss.isFinite else {
                return loss >= minimumEffect
            }
            if pair.isFailure { return loss >= minimumEffect }
            let isTime = closedLoops.contains { pair.metric == "\($0).throughput" }
            let limit = max(isTime ? maximumSlowdown : minimumEffect, 1 / max(1 - savedShare, 1e-9))
            return !pair.lowerIsBetter && loss >= limit
        }
        if isTradeOff { return .tradeOff }
        return gain < minimumEffect ? .small : .recommended
    }

    static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.weakensDurability != b.weakensDurability { return b.weakensDurability }
        let order: [Verdict] = [
            .recommended, .tradeOff, .small, .notConfirmed, .noDifference, .worse, .notPromising,
            .failed,
        ]
        let ranks = [a, b].map { order.firstIndex(of: $0.verdict) ?? order.count }
        if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
        if a.finding != b.finding { return a.finding ?? .max < b.finding ?? .max }
        return (a.gain, b.name) > (b.gain, a.name)
    }
}

extension AdviceResult.Candidate {
    /// The number of pairs of runs that confirmed the candidate.
    package var blocks: Int { (confirmed ?? []).map(\.blocks).max() ?? 0 }

    /// The factor above which new pairs of runs exclude an effect.
    ///
    /// An interval of a primary metric may extend to this factor, and the noise may hide it. The
    /// factor is `nil` if accesses that did not end may hide any effect.
    static func bound(of pairs: [ComparisonPair], noiseFloor: [String: Double]) -> Double? {
        guard !pairs.contains(where: \.isOpen) else { return nil }
        let bounds = pairs.compactMap { pair -> Double? in
            guard let low = pair.low, let high = pair.high else { return nil }
            let upper = pair.lowerIsBetter ? 1 / max(low, 1e-12) : high
            return max(upper, noiseFloor[pair.metric] ?? 1, 1)
        }
        return bounds.max()?.rounded(toDigits: 3)
    }

    /// The largest improvement factor of a primary metric, or the screening's factor if there was
    /// no confirmation.
    var effect: Double {
        (confirmed ?? []).compactMap(\.improvement).max() ?? screening ?? 0
    }

    /// The mean logarithm of the improvement factors of all primary metrics, which varies less
    /// between seeds than the largest factor.
    var gain: Double {
        guard let confirmed, !confirmed.isEmpty else { return log(max(screening ?? 0, 1e-3)) }
        let gains = confirmed.map { pair in
            log(pair.improvement ?? 1) - log(min(pair.deterioration ?? 1, 1e3))
        }
        return gains.reduce(0, +) / Double(gains.count)
    }
}

extension ComparisonResult {
    /// Returns the largest share of a client's accesses that failed in one arm, and do not fail in
    /// another: the difference of the medians, from 0 to 1.
    func savedShare(of b: String, against a: String) -> Double {
        let better = pairs.filter {
            $0.a == a && $0.b == b && $0.isFailure && $0.improvement != nil
        }
        let shares = better.map { pair -> Double in
            let medians = [a, b].map { name in
                arms.first { $0.arm == name }?.metrics[pair.metric]?.median
            }
            guard let before = medians[0], let after = medians[1] else { return 0 }
            return before - after
        }
        return min(max(shares.max() ?? 0, 0), 1)
    }
}

extension ComparisonPair {
    /// Whether the metric is the share of a client's accesses that failed.
    var isFailure: Bool { metric.hasSuffix(".errors.rate") }

    var improvement: Double? {
        guard verdict == .better, let ratio else { return nil }
        return lowerIsBetter ? 1 / max(ratio, 1e-12) : ratio
    }

    /// Whether the estimate is an improvement that is worth a change, but may be due to chance.
    func mayImprove(beyond noiseFloor: [String: Double]) -> Bool {
        guard verdict == .inconclusive, let ratio else { return false }
        let factor = lowerIsBetter ? 1 / max(ratio, 1e-12) : ratio
        return factor > max(AdviceResult.minimumEffect, noiseFloor[metric] ?? .infinity)
    }

    var deterioration: Double? {
        guard verdict == .worse else { return nil }
        guard let ratio else { return .infinity }
        return lowerIsBetter ? ratio : 1 / max(ratio, 1e-12)
    }
}

extension AdviceResult {
    /// A sentence that begins with the scenario and the arm.
    var sentence: String {
        let settings = settings.map { " (\($0))" } ?? ""
        let subject = "\(scenario) on \(arm)\(settings)"
        let tried = candidates.count
        let number = "\(tried) \(tried == 1 ? "candidate" : "candidates")"
        guard let first = recommended.first else {
            if tried == 0, partial {
                let reason = partialReason ?? "the search was stopped"
                return "\(subject): no changes were tried, because \(reason)."
            }
            if tried == 0 { return "\(subject): there are no changes to try." }
            let cause = cause.map { " \($0)" } ?? ""
            if tried == 1 {
                return "\(subject): no improvement was confirmed for the only candidate." + cause
            }
            return "\(subject): no improvement was confirmed among \(number)." + cause
        }
        let count = recommended.count
        let help =
            tried == 1
            ? "the only candidate helps"
            : count == 1 ? "1 of \(number) helps" : "\(count) of \(number) help"
        let losses = first.losses
        return "\(subject): \(help); \(Self.introduction(of: recommended)): "
            + first.changes.joined(separator: ", ")
            + (losses.isEmpty ? "" : ", but " + losses.joined(separator: ", ")) + "."
    }

    /// Names the first of the recommended candidates, which may answer a more important finding than
    /// one with a larger gain.
    static func introduction(of recommended: [Candidate]) -> String {
        guard let first = recommended.first else { return "" }
        let isBest = recommended.allSatisfy { $0.gain <= first.gain }
        return isBest
            ? "the best is \(first.name)" : "try \(first.name) first, which answers a finding"
    }

    /// A sentence about the first cause that no setting removes, or `nil` if there is none.
    private var cause: String? {
        let finding = findings?.first { finding in
            finding.level != .note
                && finding.remedy?.hasPrefix(LoadRules.notASetting) == true
        }
        guard let text = finding?.text else { return nil }
        return LoadRules.notASetting + text
    }
}

extension AdviceResult.Candidate {
    /// The changes of the primary metrics, with those that are better first.
    package var changes: [String] {
        let pairs = confirmed ?? []
        let better = pairs.filter { $0.verdict == .better }.map(\.changeText)
        return better + pairs.filter { !$0.verdict.isDifference }.map(\.effectText)
    }

    /// The metrics that are worse.
    package var losses: [String] {
        (confirmed ?? []).filter { $0.verdict == .worse }.map(\.changeText)
    }
}

extension ComparisonPair {
    /// The change, such as `ui p99 3.1× lower`, or that there is none.
    package var effectText: String {
        guard !verdict.isDifference else { return changeText }
        return "\(ComparisonResult.title(of: metric)) "
            + (verdict == .same ? "the same" : note ?? "inconclusive")
    }

    /// The change, such as `ui p99 3.1× lower`.
    package var changeText: String {
        let title = ComparisonResult.title(of: metric)
        return change.map { "\(title) \($0)" } ?? title
    }
}
