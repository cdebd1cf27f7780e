/// A map of the settings in which one arm beats another (`poolgauge.crossover/1`).
///
/// Latencies are in nanoseconds, throughputs are in accesses/s, and durations are in seconds.
package struct CrossoverResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    package static let schemaName = "poolgauge.crossover/1"

    /// The schema's identifier, ``schemaName``.
    package var schema: String
    /// The scenario's name.
    package var scenario: String
    /// The seed of all random choices.
    package var seed: UInt64
    /// The machine and the versions.
    package var environment: HostEnvironment
    /// Whether the map ended before completion.
    package var partial: Bool
    /// The reason that the map ended early, or `nil` if it is complete.
    package var partialReason: String?
    /// The baseline arm.
    package var a: String
    /// The arm to compare with the baseline.
    package var b: String
    /// The compared metric, such as `ui.response.p99`.
    package var metric: String
    /// The reason that the metric differs from the requested or default metric, if any.
    package var metricNote: String?
    /// Whether larger values are better.
    package var higherIsBetter: Bool
    /// The planned number of pairs of runs in each cell.
    package var blocks: Int
    /// The length of each run's measured part, in seconds.
    package var runSeconds: Double
    /// The variables and their values.
    package var sweeps: [Axis]
    /// The factor, at least 1, by which runs of one arm differ, or `nil` if the factor is unknown.
    package var noiseFloor: Double?
    /// The number of pairs that determine ``noiseFloor``.
    package var noisePairs: Int
    /// The clients omitted from both arms, with the reasons, or `nil` if there are none.
    package var leftOut: [String: String]?
    /// The command that runs the scenario on its data, without a cell's options, or `nil` if there
    /// is none.
    package var command: String?
    /// Each arm's journal mode and `synchronous` setting, keyed by name, or `nil` if no arm ran.
    package var settings: [String: String]?
    /// The cells, with the first sweep's values changing fastest.
    package var cells: [Cell]

    /// A variable and its values.
    package struct Axis: Sendable, Codable, Equatable {
        /// The variable.
        package var variable: Sweep.Variable
        /// The values, such as `20ms`.
        package var values: [String]
    }

    /// A cell of the map.
    package struct Cell: Sendable, Codable, Equatable {
        /// The index of the value in each sweep.
        package var indices: [Int]
        /// The values, keyed by the variables' names.
        package var values: [String: String]
        /// The number of pairs of runs with a ratio.
        package var pairs: Int
        /// The number of pairs in which the generator was the bottleneck.
        package var invalidPairs: Int
        /// The metric's median in runs of `a`, or `nil` if there are no values.
        package var a: Double?
        /// The metric's median in runs of `b`, or `nil` if there are no values.
        package var b: Double?
        /// The Hodges–Lehmann estimate of `b` divided by `a`, or `nil` if there are no pairs.
        package var ratio: Double?
        /// The lower end of the ratio's interval.
        package var low: Double?
        /// The upper end of the ratio's interval.
        package var high: Double?
        /// The interval's confidence level, from 0 to 1.
        package var level: Double?
        /// The verdict on `b`.
        package var verdict: Verdict
        /// The largest share of accesses, from 0 to 1, that a run of `a` skipped, or `nil` if none
        /// were skipped.
        ///
        /// Skipped accesses have no latency, so the arm appears faster than it is.
        package var skippedA: Double?
        /// The largest share of accesses, from 0 to 1, that a run of `b` skipped, or `nil` if none
        /// were skipped.
        package var skippedB: Double?
        /// The options of `poolgauge run SCENARIO` for this cell.
        package var options: [String]
    }

    /// A verdict on arm `b`.
    package enum Verdict: String, Sendable, Codable, Equatable {
        /// `b` is better by more than the noise.
        case better
        /// `b` is worse by more than the noise.
        case worse
        /// The arms are the same except for noise.
        case same
        /// The difference is within the noise, or there are too few pairs.
        case inconclusive
    }

    /// The exit status of the command.
    package var exitStatus: ExitStatus {
        partialReason == Self.stopped ? .interrupted : .passed
    }

    static let stopped = "stopped"
}

extension CrossoverResult.Cell {
    /// Returns the factor by which `b` is better, which is below 1 if `b` is worse.
    func advantage(higherIsBetter: Bool) -> Double? {
        ratio.map { higherIsBetter ? $0 : 1 / $0 }
    }

    func advantageRange(higherIsBetter: Bool) -> (low: Double, high: Double)? {
        guard let low, let high else { return nil }
        return higherIsBetter ? (low, high) : (1 / high, 1 / low)
    }

    var isInvalid: Bool { invalidPairs * 2 > pairs }

    var isDecided: Bool { verdict == .better || verdict == .worse }
}
