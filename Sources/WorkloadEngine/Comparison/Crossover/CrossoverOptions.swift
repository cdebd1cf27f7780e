import Foundation

/// Options for a crossover map.
package struct CrossoverOptions: Sendable {
    /// The baseline arm.
    package var a: String
    /// The arm to compare with the baseline.
    package var b: String
    /// The sweeps.
    ///
    /// The first sweep's values vary from left to right, the second's from top to bottom, and the
    /// third's from map to map.
    package var sweeps: [Sweep]
    /// The metric, or `nil` for a default metric that short runs can measure.
    package var metric: CrossoverMetric?
    /// The number of pairs of runs in each cell.
    package var blocks = 6
    /// The length of each run's measured part, or `nil` for a length that fits the time limit.
    package var duration: Duration?
    /// The time limit, after which the map ends with the pairs measured so far.
    package var timeLimit: Duration = .seconds(600)
    /// The command that runs the scenario on its data, or `nil` for `poolgauge run`.
    package var command: String?
    /// The library versions to record in the result's environment.
    package var versions: [String: String] = [:]
    /// The options for each run.
    package var run = RunOptions()
    /// A function that receives a description of each run before the run starts.
    package var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for two arms.
    package init(a: String, b: String, sweeps: [Sweep]) {
        self.a = a
        self.b = b
        self.sweeps = sweeps
    }

    /// The minimum length of a measured part if ``duration`` is `nil`, in seconds.
    static let shortest = 0.25
    /// The maximum length of a measured part if ``duration`` is `nil`, in seconds.
    static let longest = 2.0
    static let maximumCellCount = 400
}
