import Foundation

/// Options for a capacity search.
package struct CapacityOptions: Sendable {
    /// The arms, in the scenario's order.
    package var arms: [String]
    /// The length of a short run's measured part.
    ///
    /// A long run is at least three times as long.
    package var duration: Duration = .seconds(2)
    /// The relative precision of a capacity.
    package var precision = 0.05
    /// The reader counts to try with each pool, or an empty array for the scenario's counts.
    package var readers: [Int] = []
    /// The rate for which to find the smallest sufficient number of readers, in accesses/s, or
    /// `nil` to skip that search.
    package var rate: Double?
    /// The limit on the 99th percentile of response times, for clients without a latency threshold.
    package var latencyLimit: Duration = .milliseconds(50)
    /// Additional thresholds.
    package var thresholds: [Threshold] = []
    /// The loads at which to compare latencies, as shares of the slowest arm's capacity.
    package var equalLoads = [0.5, 0.7, 0.9]
    /// The time limit, after which the search ends with the capacities found so far.
    package var timeLimit: Duration = .seconds(900)
    /// The library versions to record in the result's environment.
    package var versions: [String: String] = [:]
    /// The options for each run.
    package var run = RunOptions()
    /// A function that receives a description of each trial before the trial starts.
    package var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for the given arms.
    package init(arms: [String]) { self.arms = arms }
}
