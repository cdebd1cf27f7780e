import Foundation

/// How a crossover map is made.
public struct CrossoverOptions: Sendable {
    /// The arm that the other one is compared with.
    public var a: String
    /// The arm that is asked about.
    public var b: String
    /// What varies: the first from left to right, the second from top to bottom, the third from
    /// map to map.
    public var sweeps: [Sweep]
    /// What is compared; nil for the scenario's first primary metric, or what short runs give.
    public var metric: CrossoverMetric?
    /// How many pairs of runs each cell gets.
    public var blocks = 6
    /// How long the measured part of each run lasts; nil for what fits into ``within``.
    public var duration: Duration?
    /// After this time it ends with what is known.
    public var within: Duration = .seconds(600)
    /// The command, with its options, that runs the scenario on its data; nil for the name alone.
    public var command: String?
    /// The versions of what takes part, for the result's environment.
    public var versions: [String: String] = [:]
    /// How each run is carried out.
    public var run = RunOptions()
    /// Called with a line that says what runs.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for two arms.
    public init(a: String, b: String, sweeps: [Sweep]) {
        self.a = a
        self.b = b
        self.sweeps = sweeps
    }

    /// The shortest measured part that is chosen unasked, in seconds.
    static let shortest = 0.25
    /// The longest measured part that is chosen unasked, in seconds.
    static let longest = 2.0
    /// The most cells of a map.
    static let mostCells = 400
}
