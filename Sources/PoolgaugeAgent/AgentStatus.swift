import Telemetry

/// The status that an agent reports.
public struct AgentStatus: Sendable, Codable, Equatable {
    /// The name and version of this format.
    public static let currentSchema = "poolgauge.agent/1"

    /// The name and version of the format, ``currentSchema``.
    public var schema = AgentStatus.currentSchema
    /// The name of the agent.
    public var name: String
    /// The process identifier.
    public var process: Int32
    /// The time since the agent started, in nanoseconds.
    public var ageNanoseconds: UInt64
    /// Whether clients may interrupt statements and request checkpoints.
    public var allowsControl: Bool
    /// The status of the database.
    public var database: DatabaseStatus

    /// Creates a status.
    package init(
        name: String,
        process: Int32,
        ageNanoseconds: UInt64,
        allowsControl: Bool,
        database: DatabaseStatus
    ) {
        self.name = name
        self.process = process
        self.ageNanoseconds = ageNanoseconds
        self.allowsControl = allowsControl
        self.database = database
    }
}
