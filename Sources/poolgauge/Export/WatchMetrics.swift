import Findings
import MetricDescriptors
import PoolgaugeAgent
import SQLiteWatch
import Telemetry

/// The metrics of the latest reports on databases that other processes use.
final class WatchMetrics: Sendable {
    private struct State {
        /// The paths of the databases, in the order of their first reports.
        var order: [String] = []
        var databases: [String: WatchedDatabase] = [:]
    }

    private let state = Lock(State())
    private let writer = MetricText()

    /// Adds the reports on all databases for an interval.
    func receive(_ reports: [WatchReport]) {
        state.withLock { state in
            var newDatabases: [String: WatchedDatabase] = [:]
            for report in reports {
                var totals = state.databases[report.file.path]?.totals ?? WatchTotals()
                totals.add(report)
                newDatabases[report.file.path] = WatchedDatabase(report: report, totals: totals)
            }
            state = State(order: reports.map(\.file.path), databases: newDatabases)
        }
    }

    /// Returns the metrics in Prometheus's text format, or an empty string before the first report.
    func text() -> String {
        let databases = state.withLock { state in state.order.compactMap { state.databases[$0] } }
        return writer.text(WatchMetric.all, of: databases)
    }
}
