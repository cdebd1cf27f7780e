/// What one command's runs gave, in the form that other programs read (`poolgauge.run/1`).
///
/// Latencies are integers in nanoseconds, durations are seconds. What was not measured is absent,
/// never zero.
public struct RunResult: Sendable, Codable, Equatable {
    /// The schema of this form.
    public static let schemaName = "poolgauge.run/1"

    /// `poolgauge.run/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed of all randomness.
    public var seed: UInt64
    /// Where it ran.
    public var environment: HostEnvironment
    /// Why arms that should have run are absent, each with its reason; absent when none is.
    public var failures: [String]?
    /// One result for each arm that ran, in order.
    public var runs: [ArmResult]

    /// Puts the results of a scenario's arms together.
    public init(scenario: Scenario, environment: HostEnvironment, runs: [ArmResult]) {
        schema = Self.schemaName
        self.scenario = scenario.name
        seed = scenario.seed
        self.environment = environment
        self.runs = runs
    }
}
