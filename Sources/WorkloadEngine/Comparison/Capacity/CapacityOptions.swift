import Foundation

/// How capacities are searched for.
public struct CapacityOptions: Sendable {
    /// The arms, in the scenario's order.
    public var arms: [String]
    /// How long the measured part of a short run lasts; that of a long one is three times as long.
    public var duration: Duration = .seconds(2)
    /// The relative distance within which a capacity is found.
    public var precision = 0.05
    /// The numbers of readers with which each pool is tried; none for those of the scenario.
    public var readers: [Int] = []
    /// The rate, in accesses/s, for which the smallest number of readers is searched; nil for none.
    public var rate: Double?
    /// The limit of the 99th percentile of responses for clients that no threshold limits.
    public var latencyLimit: Duration = .milliseconds(50)
    /// Thresholds beside the scenario's.
    public var thresholds: [Threshold] = []
    /// The shares of the slower arm's capacity at which latencies are compared.
    public var equalLoads = [0.5, 0.7, 0.9]
    /// After this time it ends with what is known.
    public var within: Duration = .seconds(900)
    /// The versions of what takes part, for the result's environment.
    public var versions: [String: String] = [:]
    /// How each run is carried out.
    public var run = RunOptions()
    /// Called with a line that says what is tried.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options for some arms.
    public init(arms: [String]) { self.arms = arms }
}

extension CapacityOptions {
    /// About how long it takes, and how long at most.
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
