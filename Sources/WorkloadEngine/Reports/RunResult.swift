/// The result of a command's runs in a form that other programs can read (`poolgauge.run/1`).
///
/// Latencies are integers in nanoseconds, and durations are in seconds. Unmeasured values are
/// absent rather than zero.
public struct RunResult: Sendable, Codable, Equatable {
    /// The schema's identifier.
    public static let schemaName = "poolgauge.run/1"

    /// The schema's identifier, `poolgauge.run/1`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed for all random choices.
    public var seed: UInt64
    /// The machine and the versions that the runs used.
    public var environment: HostEnvironment
    /// The reasons why arms are missing, one per missing arm, or `nil` if no arm is missing.
    public var failures: [String]?
    /// One result per completed arm, in order.
    public var runs: [ArmResult]

    /// Combines the results of running a scenario on its arms.
    public init(scenario: Scenario, environment: HostEnvironment, runs: [ArmResult]) {
        schema = Self.schemaName
        self.scenario = scenario.name
        seed = scenario.seed
        self.environment = environment
        self.runs = runs
    }
}
