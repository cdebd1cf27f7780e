/// The result of a command's runs, in the `poolgauge.run/2` format for other programs.
///
/// Latencies are integers in nanoseconds, and durations are in seconds. Values that were not
/// measured are absent.
public struct RunResult: Sendable, Codable, Equatable {
    /// The identifier of the schema.
    public static let schemaName = "poolgauge.run/2"
    /// The identifiers of all schemas that this version reads.
    ///
    /// `poolgauge.run/1` also has the key `load` for each run, which this version ignores.
    static let readableSchemas = ["poolgauge.run/1", schemaName]

    /// The identifier of the schema, `poolgauge.run/2`.
    public var schema: String
    /// The scenario's name.
    public var scenario: String
    /// The seed for all random choices.
    public var seed: UInt64
    /// The machine and the versions that the runs used.
    public var environment: HostEnvironment
    /// The reason for each missing arm, or `nil` if no arm is missing.
    public var failures: [String]?
    /// The results of the completed arms, in order.
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
