import Foundation

/// The options of a crossover map.
public struct CrossoverOptions: Sendable {
    /// The baseline arm.
    public var a: String
    /// The arm to compare with the baseline.
    public var b: String
    /// The sweeps.
    ///
    /// The first sweep varies from left to right, the second from top to bottom, and the third
    /// between maps.
    public var sweeps: [Sweep]
    /// The metric, or `nil` for a default metric that short runs can measure.
    public var metric: CrossoverMetric?
    /// The number of pairs of runs in each cell.
    public var blocks = 6
    /// The length of each run's measured part, or `nil` for a length that fits into ``within``.
    public var duration: Duration?
    /// The time limit, after which the map ends with the pairs measured so far.
    public var within: Duration = .seconds(600)
    /// The command that runs the scenario on its data, or `nil` for `poolgauge run`.
    public var command: String?
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// The options of each run.
    public var run = RunOptions()
    /// A function that receives a description of each run before the run starts.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for two arms.
    public init(a: String, b: String, sweeps: [Sweep]) {
        self.a = a
        self.b = b
        self.sweeps = sweeps
    }

    /// The minimum automatic length of a measured part, in seconds.
    static let shortest = 0.25
    /// The maximum automatic length of a measured part, in seconds.
    static let longest = 2.0
    static let mostCells = 400
}
