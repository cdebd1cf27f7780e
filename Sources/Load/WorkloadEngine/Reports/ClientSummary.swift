import Findings
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

extension ArmResult {
    /// The maximum share of a client's accesses that may fail if no threshold limits the client's
    /// errors, from 0 to 1.
    public static let errorShareLimit = 0.05

    /// Returns the reasons a complete run failed, with one sentence for each failed client.
    ///
    /// A client fails if it has too many errors or no successful accesses. A threshold on a
    /// client's `errors` replaces the default limit on errors. A client without successful
    /// accesses passes only if a rate threshold allows 100%.
    func clientFailures(for thresholds: [Threshold], judgesUnfinished: Bool) -> [String] {
        let judged = Set(thresholds.map(\.metric))
        let unlimited = Set(
            thresholds.filter { $0.aggregate == "rate" && $0.limit >= 1 }.map(\.metric)
        )
        return clients.sorted { $0.key < $1.key }.compactMap { name, client in
            guard client.offered > 0 else { return nil }
            let isJudged = judged.contains("\(name).errors")
            let isUnfinished = client.unfinished == client.offered
            let mayFailAlways = unlimited.contains("\(name).errors") && client.errorCount > 0
            if client.completed == 0, !mayFailAlways, judgesUnfinished || !isUnfinished {
                return "none of the \(HumanUnits.exact(client.offered)) accesses of \(name) "
                    + "succeeded" + outcomes(of: client)
            }
            guard !isJudged else { return nil }
            let share = Double(client.errorCount) / Double(client.offered)
            guard share > Self.errorShareLimit else { return nil }
            let codes = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
                .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
            return "\(ReportUnits.percent(share)) of the accesses of \(name) failed "
                + "(\(codes.joined(separator: ", "))); to allow more than "
                + "\(ReportUnits.percent(Self.errorShareLimit)), add a threshold on \(name).errors"
        }
    }

    private func outcomes(of client: ClientResult) -> String {
        var parts = client.errors.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(3).map { "\(HumanUnits.exact($0.value)) × \($0.key)" }
        let others = [
            (client.skipped, "skipped"), (client.interrupted, "interrupted"),
            (client.unfinished, "unfinished"),
        ]
        parts += others.filter { $0.0 > 0 }.map { "\(HumanUnits.exact($0.0)) \($0.1)" }
        return parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
    }

    /// The effective settings, such as `journal_mode wal, synchronous normal, busy timeout 5.00 s`.
    var journalSettings: String? {
        let known = ["journal_mode", "synchronous", "busy"].compactMap { name in
            environment[name].map { "\(name) \($0)" }
        }
        return known.isEmpty ? nil : known.joined(separator: ", ")
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
