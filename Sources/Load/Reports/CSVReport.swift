import Foundation
import Scenarios
import Text
import WorkloadEngine

/// A type that writes results as comma-separated values.
///
/// The format is RFC 4180 with bare line feeds. The header is the same for all results of a
/// version, and later versions only append columns. Times are integers in nanoseconds. Unmeasured
/// values are empty.
///
/// The `row` column contains the kind of row: `client` for all of a client's accesses,
/// `operation`, `phase`, or `phase-operation` for an operation within a phase. Rows of different
/// kinds count the same accesses.
public enum CSVReport {
    private static let columns =
        [
            "scenario", "seed", "arm", "valid", "partial", "client", "operation", "phase", "loop",
        ] + firstMetrics.map(\.csvColumn)
    /// The metrics of the first version of the format.
    ///
    /// Later versions append the columns of ``laterMetrics``.
    private static let firstMetrics = [
        "offered", "started", "completed", "skipped", "late", "retried", "interrupted",
        "unfinished", "errors", "throughput",
    ].compactMap(ClientMetrics.metric)
    private static let laterMetrics = ClientMetrics.values.filter { metric in
        !firstMetrics.contains { $0.key == metric.key }
    }
    private static let latencies: [ClientMetric] = [.response, .wait, .service, .lag]
    private static let statistics = [
        "count", "mean_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p99.9_ns", "max_ns",
    ]

    private static let lastColumns =
        ["row", "versions"] + latencies.map { "\($0.rawValue)_p99.99_ns" }
        + BusyCause.allCases.map { "busy_\($0.rawValue.replacing("-", with: "_"))" }
        + ["journal_mode", "synchronous"] + laterMetrics.map(\.csvColumn)

    /// The first line, without the line feed.
    public static var header: String {
        let times = latencies.flatMap { latency in statistics.map { "\(latency.rawValue)_\($0)" } }
        return (columns + times + lastColumns).joined(separator: ",")
    }

    /// Returns the header and all rows, each terminated by a line feed.
    public static func text(of result: RunResult) -> String {
        var lines = [header]
        let versions = result.environment.versions.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }.joined(separator: " ")
        for run in result.runs {
            for (client, all) in run.clients.sorted(by: { $0.key < $1.key }) {
                func add(_ row: ClientResult, operation: String = "", phase: String = "") {
                    let head = [
                        result.scenario, String(result.seed), run.arm, String(run.valid),
                        String(run.partial), client, operation, phase, all.loop?.rawValue ?? "",
                    ]
                    let kind =
                        switch (operation.isEmpty, phase.isEmpty) {
                        case (true, true): "client"
                        case (false, true): "operation"
                        case (true, false): "phase"
                        case (false, false): "phase-operation"
                        }
                    let busy = busy(of: client, in: run, isWhole: kind == "client")
                    let settings = ["journal_mode", "synchronous"].map { run.environment[$0] ?? "" }
                    let further = laterMetrics.map { $0.csvCell(of: row) }
                    let last = [kind, versions] + tailCells(row) + busy + settings + further
                    lines.append(
                        (head + cells(row) + last).map(Escaping.csvCell)
                            .joined(separator: ",")
                    )
                }
                add(all)
                for (operation, row) in (all.operations ?? [:]).sorted(by: { $0.key < $1.key }) {
                    add(row, operation: operation)
                }
                for (phase, sum) in (all.phases ?? [:]).sorted(by: { $0.key < $1.key }) {
                    add(sum, phase: phase)
                    for (operation, row) in (sum.operations ?? [:]).sorted(by: { $0.key < $1.key })
                    {
                        add(row, operation: operation, phase: phase)
                    }
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the number of a client's failures for each cause, or empty cells for a row that does
    /// not cover all of the client's accesses.
    private static func busy(of client: String, in run: ArmResult, isWhole: Bool) -> [String] {
        BusyCause.allCases.map { cause in
            guard isWhole else { return "" }
            let groups = run.busy?.groups.filter { $0.client == client && $0.cause == cause }
            return String((groups ?? []).reduce(0) { $0 + $1.count })
        }
    }

    private static func cells(_ row: ClientResult) -> [String] {
        let times = latencies.map { row.latency($0) }.flatMap { summary in
            [
                summary?.count, summary?.mean, summary?.p50, summary?.p90, summary?.p95,
                summary?.p99, summary?.p999, summary?.max,
            ].map { $0.map { String($0) } ?? "" }
        }
        return firstMetrics.map { $0.csvCell(of: row) } + times
    }

    /// Returns the cells of the percentile columns that a later version appended.
    private static func tailCells(_ row: ClientResult) -> [String] {
        latencies.map { row.latency($0)?.p9999.map { String($0) } ?? "" }
    }
}

extension MetricDescriptor<ClientMetric> {
    /// The CSV column name, such as `longest_wait_ns`.
    var csvColumn: String {
        key.replacing("-", with: "_") + (aggregates.first?.unit.csvSuffix ?? "")
    }

    /// Returns the CSV cell, or an empty string if there is no value.
    fileprivate func csvCell(of client: ClientResult) -> String {
        shown(of: client).map { $0.unit.csvText($0.value) } ?? ""
    }
}

extension MetricCatalog.Unit {
    /// The suffix of CSV column names.
    fileprivate var csvSuffix: String {
        switch self {
        case .time: "_ns"
        case .bytes: "_bytes"
        case .rate: "_per_s"
        case .count, .share, .ratio: ""
        }
    }

    /// Returns a value as text for a CSV cell, without the unit.
    fileprivate func csvText(_ value: Double) -> String {
        switch self {
        case .time, .bytes, .count: String(UInt64(max(0, value.rounded())))
        case .rate, .share, .ratio: String(value)
        }
    }
}

/// A type that encodes results as JSON with sorted keys so that equal results produce equal text.
public enum JSONReport {
    /// Returns the result as indented JSON, ending with a line feed.
    public static func text(of result: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
    }
}
