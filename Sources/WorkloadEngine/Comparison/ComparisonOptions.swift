import Foundation
import Units

/// The options of a comparison.
public struct ComparisonOptions: Sendable {
    /// The number of blocks.
    ///
    /// In each block, every arm runs once, and the first arm runs twice.
    public var blocks = 10
    /// The largest number of blocks.
    public static let maximumBlocks = 1000
    /// The length of each run's measured part.
    ///
    /// With three arms, forty runs of three seconds take less than three minutes, including
    /// overhead. A rate of 400 accesses/s provides enough samples for a 99th percentile.
    public var duration: Duration = .seconds(3)
    /// The names of the arms to compare, with the baseline arm first.
    ///
    /// If nil, compares the scenario's `queue`, `queue-wal` and `pool` arms.
    public var arms: [String]?
    /// The programs to compare, all on the same arm, or nil to compare arms.
    public var programs: ComparedPrograms?
    /// The deciding metrics, such as `ui.response.p99`; nil to use the metrics that the scenario
    /// declares.
    ///
    /// If the scenario declares none, each closed loop's throughput and each open loop's p99
    /// decide.
    public var primary: [String]?
    /// The conditions that make the comparison fail.
    ///
    /// Their metrics are also deciding metrics.
    public var failIf: [FailCondition] = []
    /// The options of each run.
    public var run = RunOptions()
    /// The library versions to record in the result's environment.
    public var versions: [String: String] = [:]
    /// The time limit, or nil for none.
    ///
    /// Blocks that do not fit are omitted.
    ///
    /// A block starts only if there is time for a block as long as the longest one so far. The
    /// differences between arms do not affect the number of blocks.
    var limit: Duration?
    /// Whether arms are compared only with the first one.
    var onlyAgainstFirst = false
    /// A function that is called before each run with a line that contains the run's name and the
    /// remaining time.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks with runs of three seconds.
    public init() {}
}

extension ComparisonOptions {
    /// Returns the arms to compare, in order.
    ///
    /// - Throws: ``RunError`` if the scenario has no arm of a given name.
    func chosenArms(in scenario: Scenario) throws -> [Arm] {
        if let programs { return try programs.arms(of: scenario) }
        guard let names = arms else { return Self.usualArms(of: scenario) }
        let known = scenario.arms.map(\.name)
        var chosen: [Arm] = []
        for name in names {
            guard let arm = scenario.arms.first(where: { $0.name == name }) else {
                throw RunError(
                    .scenario,
                    "\(scenario.name) has no arm '\(name)'" + NearestName.hint(name, among: known)
                )
            }
            if !chosen.contains(arm) { chosen.append(arm) }
        }
        return chosen
    }

    /// Returns the names of the arms to compare, with the baseline arm first.
    ///
    /// - Throws: ``RunError`` if the scenario has no arm of a given name.
    public func armNames(in scenario: Scenario) throws -> [String] {
        try chosenArms(in: scenario).map(\.name)
    }

    /// The arms that answer "queue or pool?": SQLite's defaults, a queue with a log, and a pool.
    ///
    /// Omits arms that the scenario lacks. Returns all the scenario's arms if fewer than two
    /// remain.
    private static func usualArms(of scenario: Scenario) -> [Arm] {
        let usual = ["queue", "queue-wal", "pool"].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        return usual.count > 1 ? usual : scenario.arms
    }
}
