import Foundation

/// Options for a comparison.
public struct ComparisonOptions: Sendable {
    /// The number of blocks.
    ///
    /// In each block, the first arm runs twice and every other arm runs once.
    public var blocks = 10
    /// The largest number of blocks.
    public static let maximumBlocks = 1000
    /// The length of each run's measured part.
    ///
    /// With the default length, ten blocks of three arms take less than three minutes. A rate of
    /// 400 accesses/s is enough for a 99th percentile.
    public var duration: Duration = .seconds(3)
    /// The names of the arms to compare, with the baseline arm first.
    ///
    /// `nil` selects the scenario's `queue`, `queue-wal`, and `pool` arms.
    public var arms: [String]?
    /// The primary metrics, such as `ui.response.p99`, or `nil` for the scenario's primary metrics.
    ///
    /// If the scenario declares none, the primary metrics are the throughput of each closed loop
    /// and the 99th percentile of each open loop.
    public var primary: [String]?
    /// The conditions that make the comparison fail.
    ///
    /// The metrics of these conditions are also primary metrics.
    public var failIf: [FailCondition] = []
    /// The options for each run.
    public var run = RunOptions()
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// The time limit, or `nil` for no limit.
    ///
    /// A block starts only if the remaining time is at least the length of the longest block so
    /// far. The differences between arms therefore do not affect the number of blocks.
    var limit: Duration?
    /// Whether to compare each arm with only the first arm.
    var onlyAgainstFirst = false
    /// The larger transactions of arms, keyed by the arm's name.
    var batches: [String: WriteBatch] = [:]
    /// The values of a varied setting, or `nil` to compare arms of the scenario.
    package var sweep: ComparisonSweep?
    /// A function that receives the next run's name and the remaining time before each run.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks with runs of three seconds.
    public init() {}
}

extension ComparisonOptions {
    /// Returns the arms to compare, with the baseline arm first.
    ///
    /// - Throws: ``RunError`` if the scenario has no arm with a given name.
    func chosenArms(in scenario: Scenario) throws -> [Arm] {
        if let sweep { return sweep.variants.map(\.arm) }
        guard let names = arms else { return Self.standardArms(of: scenario) }
        var chosen: [Arm] = []
        for name in names {
            let arm = try scenario.arm(named: name)
            if !chosen.contains(arm) { chosen.append(arm) }
        }
        return chosen
    }

    /// Returns the names of the arms to compare, with the baseline arm first.
    ///
    /// - Throws: ``RunError`` if the scenario has no arm with a given name.
    public func armNames(in scenario: Scenario) throws -> [String] {
        try chosenArms(in: scenario).map(\.name)
    }

    /// Returns the arms that show the effect of a pool: SQLite's defaults, a queue in WAL mode, and
    /// a pool.
    ///
    /// If the scenario has fewer than two of these arms, this method returns all of the scenario's
    /// arms.
    private static func standardArms(of scenario: Scenario) -> [Arm] {
        let usual = ["queue", "queue-wal", "pool"].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        return usual.count > 1 ? usual : scenario.arms
    }
}
