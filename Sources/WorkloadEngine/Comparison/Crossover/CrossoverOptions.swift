import Foundation

/// The options of a crossover map.
public struct CrossoverOptions: Sendable {
    /// The baseline arm.
    public var a: String
    /// The arm that is compared with the baseline.
    public var b: String
    /// The sweeps: the first varies from left to right, the second from top to bottom, the third
    /// from map to map.
    public var sweeps: [Sweep]
    /// The metric; nil for the scenario's first primary one, or one that short runs can measure.
    public var metric: CrossoverMetric?
    /// The number of pairs of runs in each cell.
    public var blocks = 6
    /// The length of the measured part of each run; nil to fit it into ``within``.
    public var duration: Duration?
    /// The time limit: the map then ends with the cells measured so far.
    public var within: Duration = .seconds(600)
    /// The command, with its options, that runs the scenario on its data; nil for `poolgauge run`.
    public var command: String?
    /// The versions of the libraries in use, for the result's environment.
    public var versions: [String: String] = [:]
    /// The options of each run.
    public var run = RunOptions()
    /// Called before each run with a line that describes it.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for two arms.
    public init(a: String, b: String, sweeps: [Sweep]) {
        self.a = a
        self.b = b
        self.sweeps = sweeps
    }

    /// The shortest automatically chosen measured part, in seconds.
    static let shortest = 0.25
    /// The longest automatically chosen measured part, in seconds.
    static let longest = 2.0
    /// The largest number of cells.
    static let mostCells = 400
}
