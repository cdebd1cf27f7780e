import PoolgaugeAgent
import Telemetry

extension Sample {
    /// Creates a sample from the status of an agent, for the dashboard of runs.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - sequence: The position among the samples.
    ///   - time: The time since the start of the recording, in seconds.
    ///   - facts: The facts that need the previous status.
    package init(
        _ status: AgentStatus,
        sequence: Int,
        time: Double,
        facts: RecordedFacts = RecordedFacts()
    ) {
        self.init(
            sequence: sequence,
            time: time,
            scenario: status.name,
            arm: "PID \(status.process)",
            database: status.database,
            saturation: facts.saturation
        )
        if let readers = status.database.readers, readers.maximum > 0 {
            utilization = Double(readers.inUse) / Double(readers.maximum)
        }
    }
}
