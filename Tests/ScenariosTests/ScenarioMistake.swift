import Scenarios
import Testing

/// A mistake that is added to a valid scenario.
///
/// The mistake must cause exactly one issue, with the given position and message.
struct ScenarioMistake: CustomTestStringConvertible, Sendable {
    private let old: String
    private let new: String
    private let issue: String

    var testDescription: String { new }

    init(_ old: String, _ new: String, _ issue: String) {
        self.old = old
        self.new = new
        self.issue = issue
    }

    static let good = """
        version: 1
        name: good
        dataset: {preset: pgbench, scale: 1}
        arms:
          pool: {type: pool, readers: 4}
        phases:
          - {name: steady, duration: 30s}
        variables:
          n: {distribution: uniform, min: 1, max: 9}
        clients:
          ui: {access: read, arrival: {rate: 200/s}, sql: "SELECT :n"}
          report: {access: read, hold: 3s, every: 10s}
        thresholds:
          ui.response: ["p(99) < 50ms"]
        primary: [ui.response.p99]
        invariants: [integrity-check]
        """

    /// Makes the mistake, and expects only the given issue.
    func expectIssue() throws {
        try #require(Self.good.contains(old))
        let yaml = Self.good.replacing(old, with: new, maxReplacements: 1)
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(error?.description == "f:" + issue)
    }
}
