import YAML

/// The errors in a scenario, with their positions.
public struct ScenarioError: Error, Sendable, Equatable, CustomStringConvertible {
    /// An error in a scenario.
    public typealias Issue = YAMLIssue

    /// The issues, in file order.
    public var issues: [Issue]

    /// Creates an error with at least one issue.
    public init(issues: [Issue]) { self.issues = issues }

    /// The issues, one per line.
    public var description: String {
        issues.map(\.description).joined(separator: "\n")
    }
}

extension YAMLLog {
    func throwIfAny() throws(ScenarioError) {
        if count > 0 { throw ScenarioError(issues: issues) }
    }
}
