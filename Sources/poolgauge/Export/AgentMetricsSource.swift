import MetricDescriptors
import PoolgaugeAgent
import Telemetry

/// The metrics of an agent's latest status.
final class AgentMetricsSource: Sendable {
    private struct State {
        var status: AgentStatus?
        var isUp = false
    }

    /// The database's label, and whether the last request succeeded.
    struct Answer {
        var label: String
        var isUp: Bool
    }

    /// The metric for the outcome of requests to the agent.
    static let up = Metric<Answer>(.up, labels: ["database"]) { answer in
        [MetricValue([answer.label], .single(answer.isUp ? 1 : 0))]
    }

    private let name: String
    private let state = Lock(State())
    private let writer = MetricText()

    /// Creates a source without a status.
    ///
    /// `name` identifies the agent until its first response.
    init(name: String) { self.name = name }

    /// Replaces the status, or records that the agent did not respond.
    func receive(_ status: AgentStatus?) {
        state.withLock { state in
            state.isUp = status != nil
            guard let status else { return }
            if let last = state.status,
                last.process != status.process || last.ageNanoseconds > status.ageNanoseconds
            {
                writer.discardStoredValues()
            }
            state.status = status
        }
    }

    /// Returns the metrics in Prometheus's text format.
    func text() -> String {
        let state = state.withLock { $0 }
        let answer = Answer(label: state.status?.database.label ?? name, isUp: state.isUp)
        let reportedDatabases = state.isUp ? state.status.map { [$0.database] } ?? [] : []
        return writer.text([Self.up], of: [answer])
            + writer.text(DatabaseMetric.all, of: reportedDatabases)
    }
}
