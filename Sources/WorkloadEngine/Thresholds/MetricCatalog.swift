/// The metrics that a run produces, by the names that thresholds and comparisons use.
///
/// A client's metrics have names such as `<client>.response`. The database's metrics have names
/// such as `wal.bytes`.
public struct MetricCatalog: Sendable {
    /// The unit of a metric's values, which determines the unit of a limit.
    public enum Unit: Sendable, Equatable {
        /// Nanoseconds.
        case time
        /// Bytes.
        case bytes
        /// Accesses/s.
        case rate
        /// A count.
        case count
        /// A share in 0…1.
        case share
    }

    /// A metric: its aggregates and their units.
    public struct Metric: Sendable, Equatable {
        /// The aggregates, such as `p(99)`, each with its unit.
        public var aggregates: [String: Unit]
    }

    /// The percentiles that a run reports.
    public static let percentiles = ["50", "90", "95", "99", "99.9", "99.99"]
    /// The first parts of the names of database metrics.
    static let databaseGroups = ["wal", "pool", "snapshots", "interrupts"]

    private static let latency: Metric = {
        var aggregates: [String: Unit] = ["max": .time, "mean": .time, "count": .count]
        for percentile in percentiles { aggregates["p(\(percentile))"] = .time }
        return Metric(aggregates: aggregates)
    }()
    /// A count of accesses, whose rate is the share of the offered accesses.
    private static let accesses = Metric(aggregates: ["count": .count, "rate": .share])

    private static let clientMetrics: [String: Metric] = [
        "response": latency, "wait": latency, "service": latency, "lag": latency,
        "throughput": Metric(aggregates: ["mean": .rate]),
        "offered": accesses, "started": accesses, "completed": accesses, "skipped": accesses,
        "late": accesses, "retried": accesses, "interrupted": accesses, "unfinished": accesses,
        "errors": accesses,
        "fairness": Metric(aggregates: ["min": .share]),
        "longest-wait": Metric(aggregates: ["max": .time]),
    ]
    private static let databaseMetrics: [String: Metric] = [
        "wal.bytes": Metric(aggregates: ["max": .bytes, "final": .bytes]),
        "pool.utilization": Metric(aggregates: ["mean": .share]),
        "pool.saturation": Metric(aggregates: ["mean": .share]),
        "pool.readers": Metric(aggregates: ["max": .count]),
        "pool.waiting-readers": Metric(aggregates: ["max": .count]),
        "pool.waiting-writers": Metric(aggregates: ["max": .count]),
        "snapshots.made": Metric(aggregates: ["count": .count]),
        "snapshots.age": Metric(aggregates: ["max": .time]),
        "interrupts.requested": Metric(aggregates: ["count": .count]),
        "interrupts.delivered": Metric(aggregates: ["count": .count]),
        "interrupts.without-effect": Metric(aggregates: ["count": .count]),
    ]

    /// The clients' names, in the scenario's order.
    public let clients: [String]

    /// Creates the catalog for a run with the given clients.
    public init(clients: [String]) { self.clients = clients }

    /// Returns the metric with the given name, or nil if the scenario's runs do not produce it.
    public func metric(_ name: String) -> Metric? {
        if let metric = Self.databaseMetrics[name] { return metric }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, clients.contains(parts[0]) else { return nil }
        return Self.clientMetrics[parts[1]]
    }

    /// All names.
    public var names: [String] {
        clients.flatMap { client in Self.clientMetrics.keys.sorted().map { "\(client).\($0)" } }
            + Self.databaseMetrics.keys.sorted()
    }

    /// Describes an unknown name and suggests the nearest known name.
    func problem(with name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let groups = clients + Self.databaseGroups
        guard parts.count == 2, !parts[1].isEmpty else {
            return "'\(name)' is not a metric; write \(clients.first ?? "client").response"
        }
        guard groups.contains(parts[0]) else {
            return "unknown client '\(parts[0])' in metric '\(name)'"
                + NearestName.hint(parts[0], among: groups)
        }
        let siblings = names.filter { $0.hasPrefix(parts[0] + ".") }
            .map { String($0.dropFirst(parts[0].count + 1)) }
        return "unknown metric '\(parts[1])' of '\(parts[0])'"
            + NearestName.hint(parts[1], among: siblings)
    }
}
