import Foundation
import Units

/// The options of a comparison.
public struct ComparisonOptions: Sendable {
    /// The number of blocks: in each block, every arm runs once, and the first one twice.
    public var blocks = 10
    /// The largest number of blocks.
    public static let maximumBlocks = 1000
    /// The length of the measured part of each run.
    ///
    /// With three arms, forty runs of three seconds and their overhead take less than three
    /// minutes; 400 accesses/s are enough for a 99th percentile.
    public var duration: Duration = .seconds(3)
    /// The names of the arms to compare, with the baseline arm first.
    ///
    /// Nil selects those of `queue`, `queue-wal` and `pool` that the scenario has.
    public var arms: [String]?
    /// The programs to compare, each with the same arm; nil to compare arms.
    public var programs: ComparedPrograms?
    /// The deciding metrics, such as `ui.response.p99`; nil for those that the scenario declares.
    ///
    /// If it declares none: each closed loop's throughput, and each open loop's p99.
    public var primary: [String]?
    /// The conditions that make the comparison fail; their metrics also decide.
    public var failIf: [FailCondition] = []
    /// The options of each run.
    public var run = RunOptions()
    /// The versions of the libraries in use, for the result's environment.
    public var versions: [String: String] = [:]
    /// The time limit, after which blocks are omitted; nil for none.
    ///
    /// No block starts that would exceed it, judged by the longest one so far. The differences
    /// between arms have no influence on the number of blocks.
    var limit: Duration?
    /// Whether all arms are judged against the first one only.
    var onlyAgainstFirst = false
    /// Called before each run with a line that names it and the remaining time.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks of three seconds.
    public init() {}
}

extension ComparisonOptions {
    /// Returns the arms to compare, in order.
    ///
    /// - Throws: ``RunError`` for a name that the scenario does not have.
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
    /// - Throws: ``RunError`` for a name that the scenario does not have.
    public func armNames(in scenario: Scenario) throws -> [String] {
        try chosenArms(in: scenario).map(\.name)
    }

    /// The arms that answer "queue or pool?": SQLite's defaults, a queue with a log, and a pool.
    ///
    /// Omits arms that the scenario lacks; returns all its arms if fewer than two are left.
    private static func usualArms(of scenario: Scenario) -> [Arm] {
        let usual = ["queue", "queue-wal", "pool"].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        return usual.count > 1 ? usual : scenario.arms
    }
}
