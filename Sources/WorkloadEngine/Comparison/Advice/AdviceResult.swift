/// What the search for advice found (`poolgauge.advice/1`).
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
    /// Where it ran.
    public var environment: HostEnvironment
    /// The arm that the candidates change.
    public var arm: String
    /// The journal mode and `synchronous` of that arm; absent where they are unknown.
    public var settings: String?
    /// The metrics that decide.
    public var primary: [String]
    /// Whether it ended before all was known.
    public var partial: Bool
    /// Why it did; absent when it did not.
    public var partialReason: String?
    /// How many pairs of runs confirm each candidate; 0 where none was confirmed.
    public var blocks: Int
    /// How long the measured part of a run lasted that screens, in seconds.
    public var screeningSeconds: Double
    /// How long the measured part of a run lasted that confirms, in seconds.
    public var confirmingSeconds: Double?
    /// The candidates: those that are recommended first, by their effect.
    public var candidates: [Candidate]
    /// What a reader must know before acting; absent when there is nothing.
    public var warnings: [String]?

    /// A change that was tried.
    public struct Candidate: Sendable, Codable, Equatable {
        /// Its name.
        public var name: String
        /// The line of the scenario, or the SQL, that makes the change.
        public var change: String
        /// What it costs beside what the metrics show.
        public var cost: String
        /// Whether commits may be lost that the present arm keeps after a power failure.
        public var weakensDurability: Bool
        /// What came of it.
        public var verdict: Verdict
        /// How many times better the deciding metrics were in the screening, on geometric average;
        /// absent where there are no values.
        public var screening: Double?
        /// The deciding metrics on fresh pairs of runs; absent where it was not confirmed.
        public var confirmed: [ComparisonPair]?
        /// Metrics that do not decide and became worse; absent without any.
        public var sideEffects: [ComparisonPair]?
        /// Why it could not be measured; absent where it could.
        public var problem: String?
    }

    /// What came of a candidate.
    public enum Verdict: String, Sendable, Codable, Equatable {
        /// A deciding metric is better and none is worse, on fresh pairs of runs.
        case recommended
        /// A deciding metric is better and another one is worse.
        case tradeOff
        /// Fresh pairs of runs show no improvement.
        case noDifference
        /// A deciding metric is worse, and none is better.
        case worse
        /// It was promising in the screening, and there was no place or time to confirm it.
        case notConfirmed
        /// The screening shows no improvement.
        case notPromising
        /// It could not be measured.
        case failed
    }

    /// The candidates that are recommended, the largest effect first.
    public var recommended: [Candidate] {
        candidates.filter { $0.verdict == .recommended && !$0.weakensDurability }
    }

    /// Its exit status.
    public var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : partial ? .undecided : .passed
    }

    /// The reason of a search that somebody stopped.
    static let stopped = "stopped"
}
