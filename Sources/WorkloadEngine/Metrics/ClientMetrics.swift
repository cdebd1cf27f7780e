import Telemetry

/// The metrics of each client.
///
/// To add a metric, add a property to ``ClientResult``, set the property in its initializer, and
/// append an entry to ``values``.
enum ClientMetrics {
    typealias Metric = MetricDescriptor<ClientResult>

    static let all: [Metric] = latencies + values

    static let latencies: [Metric] = [
        .latency("response", "The time from an access's intended start to its end.") {
            $0.response
        },
        .latency("wait", "The time from an access's start until it can run its first step.") {
            $0.wait
        },
        .latency("service", "The time that an access spends running its steps.") { $0.service },
        .latency("lag", "The time from an access's intended start to its actual start.") { $0.lag },
    ]

    /// The metrics that are not latencies, in the order of their columns.
    ///
    /// Each metric has a CSV column. A metric with a ``MetricDescriptor/column``, such as
    /// `throughput`, also has a column in text and HTML tables. A metric such as `longest-wait`
    /// does not.
    static let values: [Metric] = [
        count("offered", isLowerBetter: false, "Accesses that the load requested.") { $0.offered },
        count("started", isLowerBetter: false, hasColumn: false, "Accesses that started.") {
            $0.started
        },
        count("completed", isLowerBetter: false, "Accesses that succeeded.") { $0.completed },
        .number(
            "throughput",
            "mean",
            .rate,
            column: "rate",
            isLowerBetter: false,
            "Completed accesses per second of the measured time."
        ) { $0.throughput },
        count("skipped", "Accesses skipped for exceeding `skip-after`.") { $0.skipped },
        count("late", "Accesses that started more than a millisecond late.") { $0.late },
        count("retried", "Attempts that followed `SQLITE_BUSY`.") { $0.retried },
        count("interrupted", "Accesses ended by an interrupt.") { $0.interrupted },
        count("errors", "Accesses that failed.") { $0.errorCount },
        count("unfinished", "Accesses still waiting or running at the end.") { $0.unfinished },
        Metric(
            "fairness",
            isLowerBetter: false,
            "The smallest number of accesses that a worker completed, as a fraction of an equal "
                + "share.",
            [.init(name: "min", unit: .ratio) { $0.fairness?.smallestShare }],
            samples: { client in client.fairness.map { _ in client.completed } }
        ),
        .number("longest-wait", "max", .time, "The longest wait of any access, completed or not.") {
            $0.fairness?.longestWait.map { Double($0) }
        },
    ]

    static let columns = values.filter { $0.column != nil }

    static let columnTitles = columns.compactMap(\.column)

    static func cells(_ client: ClientResult) -> [String] {
        columns.map { $0.cell(of: client) }
    }

    static func summaries(_ client: ClientResult) -> [(key: String, summary: LatencySummary)] {
        latencies.compactMap { metric in metric.latency?(client).map { (metric.key, $0) } }
    }

    static func metric(_ key: String) -> Metric? { byKey[key] }

    static func isLatency(_ key: String) -> Bool { metric(key)?.latency != nil }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Creates a count whose rate is its share of the offered accesses.
    private static func count(
        _ key: String,
        isLowerBetter: Bool = true,
        hasColumn: Bool = true,
        _ explanation: String,
        _ count: @escaping @Sendable (ClientResult) -> UInt64
    ) -> Metric {
        let share: @Sendable (ClientResult, Double) -> Double? = { client, whole in
            client.offered > 0 ? Double(count(client)) / whole : nil
        }
        return Metric(
            key,
            column: hasColumn ? key : nil,
            isLowerBetter: isLowerBetter,
            explanation,
            [
                Metric.Aggregate(name: "count", unit: .count) { share($0, 1) },
                Metric.Aggregate(name: "rate", unit: .share) { share($0, Double($0.offered)) },
            ]
        )
    }
}
