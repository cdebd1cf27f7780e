import Telemetry

/// The columns of a latency table.
///
/// A tail percentile has a column only if at least one row has enough values for it.
struct LatencyColumns {
    /// A value in a summary.
    enum Name: String, CaseIterable {
        case p50
        case p90
        case p95
        case p99
        case p999 = "p99.9"
        case p9999 = "p99.99"
        case max
        case mean

        /// Whether the column is omitted if it has no values.
        var isTail: Bool { self == .p999 || self == .p9999 }

        /// Returns the value from a summary.
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

    /// The columns for a table with little space for latencies.
    static let brief: [Name] = [.p50, .p99, .p999, .p9999, .max]

    private let names: [Name]

    /// Chooses the columns of a table that has a row for each summary.
    init(_ names: [Name] = Name.allCases, for summaries: [LatencySummary?]) {
        self.names = names.filter { name in
            !name.isTail || summaries.contains { $0.flatMap(name.value) != nil }
        }
    }

    /// The columns' titles.
    var titles: [String] { names.map(\.rawValue) }

    /// Returns the cells of a row, with "–" for missing values.
    func cells(_ summary: LatencySummary?) -> [String] {
        names.map { name in HumanUnits.time(summary.flatMap(name.value)) }
    }
}
