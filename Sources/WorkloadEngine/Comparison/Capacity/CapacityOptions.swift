import Foundation

/// The options of a capacity search.
public struct CapacityOptions: Sendable {
    /// The arms, in the scenario's order.
    public var arms: [String]
    /// The length of a short run's measured part.
    ///
    /// A long run is at least three times as long.
    public var duration: Duration = .seconds(2)
    /// The relative precision of a capacity.
    public var precision = 0.05
    /// The reader counts to try with each pool, or an empty array for the scenario's counts.
    public var readers: [Int] = []
    /// The rate, in accesses/s, for which to find the smallest sufficient number of readers, if
    /// any.
    public var rate: Double?
    /// The limit on the 99th percentile of response times, for clients without a latency threshold.
    public var latencyLimit: Duration = .milliseconds(50)
    /// Additional thresholds.
    public var thresholds: [Threshold] = []
    /// The shares of the slowest arm's capacity at which to compare latencies.
    public var equalLoads = [0.5, 0.7, 0.9]
    /// The time limit, after which the search ends with the capacities found so far.
    public var within: Duration = .seconds(900)
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// The options of each run.
    public var run = RunOptions()
    /// A function that receives a description of each trial before the trial starts.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for the given arms.
    public init(arms: [String]) { self.arms = arms }
}

extension CapacityOptions {
    /// Returns the expected time and the maximum time of a search.
    public func estimate(
        for scenario: Scenario
    ) -> (likely: Duration, most: Duration) {
        let arms = scenario.arms.filter { self.arms.contains($0.name) }
        let variants = arms.reduce(0) { $0 + max(1, $1.kind == .pool ? readers.count : 1) }
        let short = duration.inSeconds * 1.1 + TrialRunner.guess
        let long = duration.inSeconds * 3.3 + TrialRunner.guess
        let pools = arms.filter { $0.kind == .pool }.count
        var seconds = Double(variants) * (8 * short + 3 * long)
        seconds += Double(variants * equalLoads.count) * long
        if rate != nil { seconds += Double(pools) * (5 * short + long) }
        return (.seconds(min(seconds, within.inSeconds)), within)
    }
}
