/// The result of a search for advice (`poolgauge.advice/1`).
///
/// Latencies are in nanoseconds, throughputs in accesses/s; ratios are plain numbers.
public struct AdviceResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.advice/1"

    /// `poolgauge.advice/1`.
    public var schema: String
    /// The answer in one sentence.
    public var answer: String
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// The machine and the versions that the search ran on.
    public var environment: HostEnvironment
    /// The arm that the candidates change.
    public var arm: String
    /// The journal mode and `synchronous` of that arm; absent if they are unknown.
    public var settings: String?
    /// The metrics that decide.
    public var primary: [String]
    /// Whether the search ended before it was complete.
    public var partial: Bool
    /// Why the search ended early; absent if it did not.
    public var partialReason: String?
    /// The number of pairs of runs that confirm each candidate; 0 if no confirmation ran.
    public var blocks: Int
    /// The number of rounds of the screening; the less promising half of the candidates leaves
    /// after each.
    public var screeningRounds: Int
    /// The length of the measured part of a screening run, in seconds.
    public var screeningSeconds: Double
    /// The length of the measured part of a confirming run, in seconds; absent if none ran.
    public var confirmingSeconds: Double?
    /// The noise floor of each deciding metric in the confirmation, a ratio of at least 1; absent
    /// if none ran.
    public var noiseFloor: [String: Double]?
    /// The candidates, ordered by verdict and then by effect; recommended ones come first.
    public var candidates: [Candidate]
    /// The warnings about the result; absent if there are none.
    public var warnings: [String]?

    /// A change that was tried.
    public struct Candidate: Sendable, Codable, Equatable {
        /// The candidate's name.
        public var name: String
        /// The line of the scenario, or the SQL, that makes the change.
        public var change: String
        /// The cost that the metrics do not show.
        public var cost: String
        /// Whether a power failure may lose commits that the present arm keeps.
        public var weakensDurability: Bool
        /// The outcome.
        public var verdict: Verdict
        /// How many times better the deciding metrics were in the screening, as a geometric mean;
        /// absent without values.
        public var screening: Double?
        /// The deciding metrics on fresh pairs of runs; absent if no confirmation ran.
        public var confirmed: [ComparisonPair]?
        /// The other metrics that became worse; absent if there are none.
        public var sideEffects: [ComparisonPair]?
        /// The response times of the clients that write, for an index on fresh pairs of runs; absent
        /// if there are none.
        public var writes: [ComparisonPair]?
        /// Why the candidate could not be measured; absent if it could.
        public var problem: String?
    }

    /// The outcome for a candidate.
    public enum Verdict: String, Sendable, Codable, Equatable {
        /// A deciding metric is better on fresh pairs of runs, and none is much worse.
        case recommended
        /// A deciding metric is better and another one is much worse.
        case tradeOff
        /// Deciding metrics are better on fresh pairs of runs, but by too little to justify a change.
        case small
        /// Fresh pairs of runs show no improvement.
        case noDifference
        /// A deciding metric is worse, and none is better.
        case worse
        /// The screening was promising, but others were more promising or the time was up.
        case notConfirmed
        /// The screening shows no improvement.
        case notPromising
        /// It could not be measured.
        case failed
    }

    /// The recommended candidates, the largest effect first.
    public var recommended: [Candidate] {
        candidates.filter { $0.verdict == .recommended && !$0.weakensDurability }
    }

    /// The exit status of the command.
    public var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : partial ? .undecided : .passed
    }

    /// The smallest improvement that justifies a change, and the smallest deterioration that
    /// prevents its recommendation, as a factor.
    static let leastEffect = 1.1

    /// The reason of a search that was stopped.
    static let stopped = "stopped"
}

extension AdviceResult {
    /// Judges a candidate by the deciding metrics on fresh pairs of runs.
    static func verdict(on deciding: [ComparisonPair]) -> Verdict {
        let loss = deciding.compactMap(\.deterioration).max()
        guard let gain = deciding.compactMap(\.improvement).max() else {
            return loss == nil ? .noDifference : .worse
        }
        if let loss, loss >= leastEffect { return .tradeOff }
        return gain < leastEffect ? .small : .recommended
    }

    /// Orders candidates by verdict, then by effect.
    static func precedes(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.weakensDurability != b.weakensDurability { return b.weakensDurability }
        let order: [Verdict] = [
            .recommended, .tradeOff, .small, .notConfirmed, .noDifference, .worse, .notPromising,
            .failed,
        ]
        let places = [a, b].map { order.firstIndex(of: $0.verdict) ?? order.count }
        if places[0] != places[1] { return places[0] < places[1] }
        return (a.effect, b.name) > (b.effect, a.name)
    }
}

extension AdviceResult.Candidate {
    /// The improvement factor of the best deciding metric, or of the screening if none is
    /// confirmed.
    var effect: Double {
        (confirmed ?? []).compactMap(\.improvement).max() ?? screening ?? 0
    }
}

extension ComparisonPair {
    /// How many times better the metric became; nil unless it did.
    var improvement: Double? {
        guard verdict == .better, let ratio else { return nil }
        return lowerIsBetter ? 1 / max(ratio, 1e-12) : ratio
    }

    /// How many times worse the metric became; nil unless it did.
    var deterioration: Double? {
        guard verdict == .worse else { return nil }
        guard let ratio else { return .infinity }
        return lowerIsBetter ? ratio : 1 / max(ratio, 1e-12)
    }
}
