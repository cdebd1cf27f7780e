import Foundation

/// How a comparison is carried out.
public struct ComparisonOptions: Sendable {
    /// How many blocks there are: in each, every arm runs once, and the first one twice.
    public var blocks = 10
    /// The most blocks that a comparison may have.
    public static let maximumBlocks = 1000
    /// How long the measured part of each run lasts.
    ///
    /// With three arms, forty runs of three seconds and what each needs around them take less than
    /// three minutes; and 400 accesses/s are enough for a 99th percentile.
    public var duration: Duration = .seconds(3)
    /// The arms to compare, by name, the one that the others are judged against first.
    ///
    /// Nil for `queue`, `queue-wal` and `pool`, as far as the scenario has them.
    public var arms: [String]?
    /// The metrics to decide on, such as `ui.response.p99`; nil for what the scenario declares.
    ///
    /// Where it declares none: each closed loop's throughput, each open loop's p99.
    public var primary: [String]?
    /// Conditions that make the comparison fail; their metrics are decided on too.
    public var failIf: [FailCondition] = []
    /// How each run is carried out.
    public var run = RunOptions()
    /// The versions of what takes part, for the result's environment.
    public var versions: [String: String] = [:]
    /// Called with a line that says which run comes next, and how long all will still take.
    public var onProgress: (@Sendable (String) -> Void)?

    /// Creates the default options: ten blocks of three seconds.
    public init() {}
}

extension ComparisonOptions {
    /// The arms that are compared, in their order.
    ///
    /// - Throws: ``RunError`` for a name that the scenario does not have.
    func chosenArms(in scenario: Scenario) throws -> [Arm] {
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

    /// The names of the arms that are compared, the one that the others are judged against first.
    ///
    /// - Throws: ``RunError`` for a name that the scenario does not have.
    public func armNames(in scenario: Scenario) throws -> [String] {
        try chosenArms(in: scenario).map(\.name)
    }

    /// The arms that answer "queue or pool?": SQLite's defaults, a queue with a log, and a pool.
    ///
    /// Those of them that the scenario has; all of its arms when it has fewer than two of them.
    private static func usualArms(of scenario: Scenario) -> [Arm] {
        let usual = ["queue", "queue-wal", "pool"].compactMap { name in
            scenario.arms.first { $0.name == name }
        }
        return usual.count > 1 ? usual : scenario.arms
    }
}
