import Telemetry
import Text

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
