/// The result of one command's runs, in the form that other programs read (`poolgauge.run/1`).
///
/// Latencies are integers in nanoseconds, durations are in seconds. Unmeasured values are absent,
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
    /// The machine and the versions.
    public var environment: HostEnvironment
    /// Why arms are missing, with one reason each; absent if no arm is missing.
    public var failures: [String]?
    /// One result for each completed arm, in order.
    public var runs: [ArmResult]

    /// Combines the results of a scenario's arms.
    public init(scenario: Scenario, environment: HostEnvironment, runs: [ArmResult]) {
        schema = Self.schemaName
        self.scenario = scenario.name
        seed = scenario.seed
        self.environment = environment
        self.runs = runs
    }
}
