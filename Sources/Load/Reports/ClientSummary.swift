import Scenarios
import Telemetry
import Text
import WorkloadEngine

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
    func cells(_ name: String, client: ClientResult) -> [String] {
        func cells(_ keys: String...) -> [String] {
            keys.compactMap { ClientMetrics.metric($0)?.cell(of: client) }
        }
        return [name + (client.showsClosedLoop ? " †" : "")]
            + cells("completed", "throughput")
            + latencies.cells(client.response) + [ReportUnits.time(client.wait?.p99)]
            + cells("errors", "skipped")
    }
}

extension ClientResult {
    /// Whether reports mark the client's response times as those of a closed loop.
    var showsClosedLoop: Bool { loop == .closed && response != nil }

    var errorLines: [String] {
        errors.sorted { $0.key < $1.key }.map { code, count in
            let message = errorMessages?[code].map { ": \($0)" } ?? ""
            return "\(HumanUnits.exact(count)) × \(code)\(message)"
        }
    }
}

enum ArmSettings {
    /// Returns a line such as `queue: journal_mode delete, synchronous full; pool: …`, or an
    /// empty array if no settings are known.
    static func lines(_ settings: [(arm: String, text: String?)]) -> [String] {
        let known = settings.compactMap { arm, text in text.map { "\(arm): \($0)" } }
        return known.isEmpty ? [] : [known.joined(separator: "; ")]
    }

    static func lines(of settings: [String: String]?) -> [String] {
        lines((settings ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}

/// The columns of a latency table.
///
/// A tail percentile has a column only if at least one row has enough values for that percentile.
struct LatencyColumns {
    enum Name: String, CaseIterable {
        case p50
        case p90
        case p95
        case p99
        case p999 = "p99.9"
        case p9999 = "p99.99"
        case max
        case mean

        var isTail: Bool { self == .p999 || self == .p9999 }

        func value(of summary: LatencySummary) -> UInt64? {
            switch self {
            case .p50: summary.p50
            case .p90: summary.p90
            case .p95: summary.p95
            case .p99: summary.p99
            case .p999: summary.p999
            case .p9999: summary.p9999
            case .max: summary.max
            case .mean: summary.mean
            }
        }
    }

    static let brief: [Name] = [.p50, .p99, .p999, .p9999, .max]

    private let names: [Name]

    init(_ names: [Name] = Name.allCases, for summaries: [LatencySummary?]) {
        self.names = names.filter { name in
            !name.isTail || summaries.contains { $0.flatMap(name.value) != nil }
        }
    }

    var titles: [String] { names.map(\.rawValue) }

    func cells(_ summary: LatencySummary?) -> [String] {
        names.map { name in ReportUnits.time(summary.flatMap(name.value)) }
    }
}

extension ClientMetrics {
    static let columns = values.filter { $0.column != nil }

    static let columnTitles = columns.compactMap(\.column)

    static func cells(_ client: ClientResult) -> [String] {
        columns.map { $0.cell(of: client) }
    }

    static func summaries(_ client: ClientResult) -> [(key: String, summary: LatencySummary)] {
        latencies.compactMap { metric in
            client.latency(metric.name).map { (metric.key, $0) }
        }
    }
}

extension MetricDescriptor<ClientMetric> {
    /// Returns the cell in text and HTML tables.
    func cell(of client: ClientResult) -> String {
        shown(of: client).map { $0.unit.text($0.value) } ?? "–"
    }

    /// Returns the value that tables and CSV show, or `nil` if there is none.
    ///
    /// Without samples, a count is 0.
    func shown(of client: ClientResult) -> (unit: MetricCatalog.Unit, value: Double)? {
        aggregates.first.flatMap { first in
            (client.value(of: self, first.name) ?? (first.unit == .count ? 0 : nil))
                .map { (first.unit, $0) }
        }
    }
}
