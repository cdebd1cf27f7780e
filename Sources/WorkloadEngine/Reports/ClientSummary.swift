import Telemetry
import Text

/// The most important numbers of each client, for the short tables of Markdown and HTML.
///
/// The complete tables show ``ClientMetrics/columns``.
struct ClientSummary {
    let latencies: LatencyColumns

    init(_ runs: [ArmResult]) {
        latencies = LatencyColumns(
            LatencyColumns.brief,
            for: runs.flatMap { $0.clients.values.map(\.response) }
        )
    }

    /// Returns the client's name and numbers, with a dagger after the name for a closed loop.
    ///
    /// The order is: completed accesses, rate, response times, wait, errors, and skipped accesses.
    func cells(_ name: String, _ client: ClientResult) -> [String] {
        func cells(_ keys: String...) -> [String] {
            keys.compactMap { ClientMetrics.metric($0)?.cell(of: client) }
        }
        return [name + (client.showsClosedLoop ? " †" : "")] + cells("completed", "throughput")
            + latencies.cells(client.response) + [ReportUnits.time(client.wait?.p99)]
            + cells("errors", "skipped")
    }
}

extension ClientResult {
    /// Whether reports mark the client's response times as those of a closed loop.
    var showsClosedLoop: Bool { loop == .closed && response != nil }
}
