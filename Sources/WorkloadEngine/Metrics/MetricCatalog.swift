import Text

/// The metrics that a run produces, with the names used in thresholds and comparisons.
///
/// A client's metrics have names such as `<client>.response`. The database's metrics have names
/// such as `wal.bytes`.
public struct MetricCatalog: Sendable {
    /// A metric's aggregates and their units.
    public struct Metric: Sendable, Equatable {
        /// The aggregates, such as `p(99)`, each with its unit.
        public var aggregates: [String: Unit]
    }

    /// The percentiles that a run reports.
    public static let percentiles = ["50", "90", "95", "99", "99.9", "99.99"]
    static let databaseGroups = DatabaseMetrics.groups

    private static let clientMetrics = metrics(ClientMetrics.all)
    private static let databaseMetrics = metrics(DatabaseMetrics.all)

    private static func metrics<Owner>(_ all: [MetricDescriptor<Owner>]) -> [String: Metric] {
        Dictionary(
            uniqueKeysWithValues: all.map { metric in
                let units = metric.aggregates.map { ($0.name, $0.unit) }
                return (metric.key, Metric(aggregates: Dictionary(uniqueKeysWithValues: units)))
            }
        )
    }

    /// The names of the clients, in the scenario's order.
    public let clients: [String]

    /// Creates a catalog for a run with the given clients.
    public init(clients: [String]) { self.clients = clients }

    /// Returns the metric with the given name, or `nil` if the scenario's runs do not produce it.
    public func metric(_ name: String) -> Metric? {
        if let metric = Self.databaseMetrics[name] { return metric }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, clients.contains(parts[0]) else { return nil }
        return Self.clientMetrics[parts[1]]
    }

    /// Returns the unit of an aggregate, such as `p(99)`, of a metric, such as `ui.response`.
    static func unit(of name: String, _ aggregate: String) -> Unit? {
        let (client, key) = (name.prefix { $0 != "." }, name.drop { $0 != "." }.dropFirst())
        let metric = databaseMetrics[name] ?? (client.isEmpty ? nil : clientMetrics[String(key)])
        return metric?.aggregates[aggregate]
    }

    /// Returns whether a lower value of an aggregate, such as `p(99)`, of a metric, such as
    /// `ui.response`, is better.
    static func isLowerBetter(_ name: String, _ aggregate: String) -> Bool {
        let key = String(name.drop { $0 != "." }.dropFirst())
        // The count of a latency is the number of accesses.
        if aggregate == "count", ClientMetrics.isLatency(key) { return false }
        return DatabaseMetrics.metric(name)?.isLowerBetter
            ?? ClientMetrics.metric(key)?.isLowerBetter ?? true
    }

    /// The names of all metrics.
    public var names: [String] {
        clients.flatMap { client in Self.clientMetrics.keys.sorted().map { "\(client).\($0)" } }
            + Self.databaseMetrics.keys.sorted()
    }

    /// Returns a message about an invalid metric name, with a suggestion.
    func problem(with name: String) -> String {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let groups = clients + Self.databaseGroups
        guard parts.count == 2, !parts[1].isEmpty else {
            return "'\(name)' is not a metric; write, for example, "
                + "\(clients.first ?? "client").response"
        }
        guard groups.contains(parts[0]) else {
            if let nearest = NearestName.of(parts[0], among: groups) {
                return "unknown client '\(parts[0])' in metric '\(name)'; "
                    + "did you mean '\(nearest)'?"
            }
            let owners =
                (clients.isEmpty ? "" : "a client (\(clients.joined(separator: ", "))) or ")
                + "a metric group (\(Self.databaseGroups.joined(separator: ", ")))"
            return "'\(parts[0])' in metric '\(name)' is neither a client nor a metric group; "
                + "expected \(owners)"
        }
        let siblings = names.filter { $0.hasPrefix(parts[0] + ".") }
            .map { String($0.dropFirst(parts[0].count + 1)) }
        let owner = clients.contains(parts[0]) ? "client '\(parts[0])'" : "'\(parts[0])'"
        return "unknown metric '\(parts[1])' of \(owner)"
            + NearestName.hint(parts[1], among: siblings)
    }
}
