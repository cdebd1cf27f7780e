/// Where one arm beats another (`poolgauge.crossover/1`).
///
/// Latencies are in nanoseconds, throughputs in accesses/s, durations in seconds.
public struct CrossoverResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.crossover/1"

    /// `poolgauge.crossover/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// Where it ran.
    public var environment: HostEnvironment
    /// Whether it ended before all was known.
    public var partial: Bool
    /// Why it did; absent when it did not.
    public var partialReason: String?
    /// The arm that the other one is compared with.
    public var a: String
    /// The arm that is asked about.
    public var b: String
    /// What is compared, such as `ui.response.p99`.
    public var metric: String
    /// Why it is not what was asked for or is usual; absent when it is.
    public var metricNote: String?
    /// Whether more of it is better.
    public var higherIsBetter: Bool
    /// How many pairs of runs each cell was to get.
    public var blocks: Int
    /// How long the measured part of each run lasted.
    public var runSeconds: Double
    /// What varied.
    public var sweeps: [Axis]
    /// How far runs of the same arm lay apart, as a ratio of 1 or more; absent when not known.
    public var noiseFloor: Double?
    /// From how many pairs that is known.
    public var noisePairs: Int
    /// The clients that were left out of both arms, with the reason; absent when there are none.
    public var leftOut: [String: String]?
    /// The command that runs the scenario on its data, before the options of a cell; absent in
    /// results of programs that have no such command.
    public var command: String?
    /// The journal mode and `synchronous` of each arm, by name; absent where no arm ran.
    public var settings: [String: String]?
    /// The cells, the first sweep's values changing fastest.
    public var cells: [Cell]

    /// A variable, with its values.
    public struct Axis: Sendable, Codable, Equatable {
        /// The variable.
        public var variable: Sweep.Variable
        /// Its values, as people write them.
        public var values: [String]
    }

    /// One place of the map.
    public struct Cell: Sendable, Codable, Equatable {
        /// The index of each sweep's value.
        public var indices: [Int]
        /// The values, by the variables' names.
        public var values: [String: String]
        /// How many pairs of runs gave a ratio.
        public var pairs: Int
        /// How many of them the generator was the bottleneck in.
        public var invalidPairs: Int
        /// The median of the metric in runs of `a`; absent without any.
        public var a: Double?
        /// The median of the metric in runs of `b`; absent without any.
        public var b: Double?
        /// `b` over `a`: the Hodges–Lehmann estimate; absent without pairs.
        public var ratio: Double?
        /// The lower end of its interval.
        public var low: Double?
        /// The upper end of its interval.
        public var high: Double?
        /// How often such an interval holds the truth, in 0…1.
        public var level: Double?
        /// What that means for `b`.
        public var verdict: Verdict
        /// The largest share of the accesses, in 0…1, that a run of `a` gave up: what is given up
        /// has no latency, so the arm looks better than it is; absent where none was.
        public var skippedA: Double?
        /// The same of `b`.
        public var skippedB: Double?
        /// What to add to `poolgauge run SCENARIO` to run this cell.
        public var options: [String]
    }

    /// What a cell means for `b`.
    public enum Verdict: String, Sendable, Codable, Equatable {
        /// It is better, by more than noise.
        case better
        /// It is worse, by more than noise.
        case worse
        /// The two are the same but for noise.
        case same
        /// Within the noise, or too few pairs: it cannot be told.
        case inconclusive
    }

    /// Its exit status.
    public var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : .passed
    }

    /// The reason of a map that somebody stopped.
    static let stopped = "stopped"
}

extension CrossoverResult.Cell {
    /// How many times better `b` is, below 1 where it is worse; nil without pairs.
    func advantage(higherIsBetter: Bool) -> Double? {
        ratio.map { higherIsBetter ? $0 : 1 / $0 }
    }

    /// The interval of ``advantage(higherIsBetter:)``.
    func advantageRange(higherIsBetter: Bool) -> (low: Double, high: Double)? {
        guard let low, let high else { return nil }
        return higherIsBetter ? (low, high) : (1 / high, 1 / low)
    }

    /// Whether the generator was the bottleneck in most of its pairs.
    var isInvalid: Bool { invalidPairs * 2 > pairs }

    /// Whether the cell says something.
    var isDecided: Bool { verdict == .better || verdict == .worse }
}
