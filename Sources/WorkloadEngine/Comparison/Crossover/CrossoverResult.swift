/// A map of the settings in which one arm beats another (`poolgauge.crossover/1`).
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
    /// The machine and the versions.
    public var environment: HostEnvironment
    /// Whether the map ended before it was complete.
    public var partial: Bool
    /// Why the map ended early; absent if it did not.
    public var partialReason: String?
    /// The baseline arm.
    public var a: String
    /// The arm that is compared with the baseline.
    public var b: String
    /// The compared metric, such as `ui.response.p99`.
    public var metric: String
    /// Why the metric differs from the requested or default one; absent if it does not.
    public var metricNote: String?
    /// Whether larger values are better.
    public var higherIsBetter: Bool
    /// The planned number of pairs of runs in each cell.
    public var blocks: Int
    /// The length of the measured part of each run.
    public var runSeconds: Double
    /// The variables, with their values.
    public var sweeps: [Axis]
    /// The ratio, at least 1, by which runs of one arm differ; absent if unknown.
    public var noiseFloor: Double?
    /// The number of pairs that ``noiseFloor`` is based on.
    public var noisePairs: Int
    /// The clients omitted from both arms, with the reasons; absent if there are none.
    public var leftOut: [String: String]?
    /// The command that runs the scenario on its data, before the options of a cell; absent in
    /// results of programs that have no such command.
    public var command: String?
    /// The journal mode and `synchronous` of each arm, by name; absent if no arm ran.
    public var settings: [String: String]?
    /// The cells; the first sweep's values change fastest.
    public var cells: [Cell]

    /// A variable, with its values.
    public struct Axis: Sendable, Codable, Equatable {
        /// The variable.
        public var variable: Sweep.Variable
        /// Its values as text, such as `20ms`.
        public var values: [String]
    }

    /// A cell of the map.
    public struct Cell: Sendable, Codable, Equatable {
        /// The index of each sweep's value.
        public var indices: [Int]
        /// The values, by the variables' names.
        public var values: [String: String]
        /// The number of pairs of runs with a ratio.
        public var pairs: Int
        /// The number of pairs in which the generator was the bottleneck.
        public var invalidPairs: Int
        /// The median of the metric in runs of `a`; absent without values.
        public var a: Double?
        /// The median of the metric in runs of `b`; absent without values.
        public var b: Double?
        /// `b` over `a`: the Hodges–Lehmann estimate; absent without pairs.
        public var ratio: Double?
        /// The lower end of the ratio's interval.
        public var low: Double?
        /// The upper end of the ratio's interval.
        public var high: Double?
        /// The confidence level of the interval, in 0…1.
        public var level: Double?
        /// The verdict on `b`.
        public var verdict: Verdict
        /// The largest share of the accesses, in 0…1, that a run of `a` skipped; absent if none.
        ///
        /// Skipped accesses have no latency, so the arm appears faster than it is.
        public var skippedA: Double?
        /// The largest share of the accesses, in 0…1, that a run of `b` skipped; absent if none.
        public var skippedB: Double?
        /// The options that `poolgauge run SCENARIO` needs to run this cell.
        public var options: [String]
    }

    /// The verdict of a cell on `b`.
    public enum Verdict: String, Sendable, Codable, Equatable {
        /// `b` is better, by more than the noise.
        case better
        /// `b` is worse, by more than the noise.
        case worse
        /// The arms are the same except for noise.
        case same
        /// The difference is within the noise, or there are too few pairs.
        case inconclusive
    }

    /// The exit status of the command.
    public var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : .passed
    }

    /// The reason of a map that was stopped.
    static let stopped = "stopped"
}

extension CrossoverResult.Cell {
    /// Returns the factor by which `b` is better, below 1 if it is worse; nil without pairs.
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

    /// Whether the cell shows a difference.
    var isDecided: Bool { verdict == .better || verdict == .worse }
}
