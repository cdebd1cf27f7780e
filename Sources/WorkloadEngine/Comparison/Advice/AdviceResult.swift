/// The result of a search for advice (`poolgauge.advice/1`).
///
/// Latencies are in nanoseconds, and throughputs are in accesses/s.
public struct AdviceResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    public static let schemaName = "poolgauge.advice/1"

    /// The schema's identifier, `poolgauge.advice/1`.
    public var schema: String
    /// The answer in one sentence.
    public var answer: String
    /// The scenario's name.
    public var scenario: String
    /// The seed for all random choices.
    public var seed: UInt64
    /// The machine and the versions that the search used.
    public var environment: HostEnvironment
    /// The arm to which the candidates apply.
    public var arm: String
    /// The arm's journal mode and `synchronous` setting, or `nil` if they are unknown.
    public var settings: String?
    /// The primary metrics.
    public var primary: [String]
    /// Whether the search ended before completion.
    public var partial: Bool
    /// Why the search ended early, or `nil` if it did not.
    public var partialReason: String?
    /// The number of pairs of runs that test each candidate, or 0 if there was no confirmation.
    public var blocks: Int
    /// The number of screening rounds.
    ///
    /// Each round eliminates the less promising half of the candidates.
    public var screeningRounds: Int
    /// The length of a screening run's measured part, in seconds.
    public var screeningSeconds: Double
    /// The length of a confirmation run's measured part, in seconds, or `nil` if there was no
    /// confirmation.
    public var confirmingSeconds: Double?
    /// The noise floor of each primary metric in the confirmation, a ratio of at least 1, or `nil`
    /// if there was no confirmation.
    public var noiseFloor: [String: Double]?
    /// The candidates, ordered by verdict and then by effect, starting with recommended candidates.
    ///
    /// Candidates that weaken durability come last.
    public var candidates: [Candidate]
    /// The warnings about the result, or `nil` if there are none.
    public var warnings: [String]?

    /// A change that was tried.
    public struct Candidate: Sendable, Codable, Equatable {
        /// The candidate's name.
        public var name: String
        /// The scenario line or SQL statement that makes the change.
        public var change: String
        /// A cost that the metrics do not show.
        public var cost: String
        /// Whether a power failure can lose commits that the current arm would keep.
        public var weakensDurability: Bool
        /// The outcome.
        public var verdict: Verdict
        /// The factor by which the primary metrics improved in the screening, as a geometric mean,
        /// or `nil` if there are no values.
        public var screening: Double?
        /// The comparison of the primary metrics on fresh pairs of runs, or `nil` if the candidate
        /// was not in the confirmation.
        public var confirmed: [ComparisonPair]?
        /// The other metrics that became worse, or `nil` if there are none.
        public var sideEffects: [ComparisonPair]?
        /// The response times of clients that write on fresh pairs of runs, for candidates that add
        /// an index.
        ///
        /// The value is `nil` for other candidates.
        public var writes: [ComparisonPair]?
        /// Why the candidate could not be measured, or `nil` if it could be measured.
        public var problem: String?
    }

    /// A candidate's outcome.
    public enum Verdict: String, Sendable, Codable, Equatable {
        /// On fresh pairs of runs, a primary metric is better and none is much worse.
        case recommended
        /// A primary metric is better and another one is much worse.
        case tradeOff
        /// On fresh pairs of runs, primary metrics are better, but not by enough to justify a
        /// change.
        case small
        /// Fresh pairs of runs show no improvement.
        case noDifference
        /// A primary metric is worse, and none is better.
        case worse
        /// The screening was promising, but other candidates were more promising or time ran out.
        case notConfirmed
        /// The screening shows no improvement.
        case notPromising
        /// The candidate could not be measured.
        case failed
    }

    /// The recommended candidates, with the largest effect first.
    public var recommended: [Candidate] {
        candidates.filter { $0.verdict == .recommended && !$0.weakensDurability }
    }

    /// The command's exit status.
    public var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : partial ? .undecided : .passed
    }

    /// The smallest improvement that justifies a change, and the smallest deterioration that
    /// prevents a recommendation, as a factor.
    static let leastEffect = 1.1

    /// The reason reported for a stopped search.
    static let stopped = "stopped"
}

extension AdviceResult {
    /// Judges a candidate by the primary metrics on fresh pairs of runs.
    static func verdict(on primaryPairs: [ComparisonPair]) -> Verdict {
        let loss = primaryPairs.compactMap(\.deterioration).max()
        guard let gain = primaryPairs.compactMap(\.improvement).max() else {
            return loss == nil ? .noDifference : .worse
        }
        if let loss, loss >= leastEffect { return .tradeOff }
        return gain < leastEffect ? .small : .recommended
    }

    /// Returns whether a candidate precedes another one in the result.
    static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.weakensDurability != b.weakensDurability { return b.weakensDurability }
        let order: [Verdict] = [
            .recommended, .tradeOff, .small, .notConfirmed, .noDifference, .worse, .notPromising,
            .failed,
        ]
        let ranks = [a, b].map { order.firstIndex(of: $0.verdict) ?? order.count }
        if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
        return (a.effect, b.name) > (b.effect, a.name)
    }
}

extension AdviceResult.Candidate {
    /// The improvement factor of the best primary metric, or of the screening if there was no
    /// confirmation.
    var effect: Double {
        (confirmed ?? []).compactMap(\.improvement).max() ?? screening ?? 0
    }
}

extension ComparisonPair {
    /// The factor by which the metric improved, or `nil` if it did not.
    var improvement: Double? {
        guard verdict == .better, let ratio else { return nil }
        return lowerIsBetter ? 1 / max(ratio, 1e-12) : ratio
    }

    /// The factor by which the metric became worse, or `nil` if it did not.
    var deterioration: Double? {
        guard verdict == .worse else { return nil }
        guard let ratio else { return .infinity }
        return lowerIsBetter ? ratio : 1 / max(ratio, 1e-12)
    }
}
