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
    package static let databaseGroups = DatabaseMetrics.groups

    private static let clientMetrics = metrics(ClientMetrics.all)
    private static let databaseMetrics = metrics(DatabaseMetrics.all)

    private static func metrics<Name>(_ all: [MetricDescriptor<Name>]) -> [String: Metric] {
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
    package static func unit(of name: String, _ aggregate: String) -> Unit? {
        let (client, key) = (name.prefix { $0 != "." }, name.drop { $0 != "." }.dropFirst())
        let metric = databaseMetrics[name] ?? (client.isEmpty ? nil : clientMetrics[String(key)])
        return metric?.aggregates[aggregate]
    }

    /// Returns whether a lower value of an aggregate, such as `p(99)`, of a metric, such as
    /// `ui.response`, is better.
    static func isLowerBetter(_ name: String, aggregate: String) -> Bool {
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
    package func problem(with name: String) -> String {
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

/// The reference documentation of all metrics, generated from their descriptors.
package enum MetricReference {
    /// The reference as Markdown.
    package static let markdown = """
        ## Client metrics

        \(table(clients))

        ## Database metrics

        \(table(databases))

        """

    /// The reference as plain text.
    package static let text = (clients + databases).flatMap { metric in
        [metric.name, "    \(metric.explanation) \(metric.direction)"]
            + metric.values.map { "    \($0.names.joined(separator: ", ")): \($0.unit)" }
    }.map { $0.replacing("`", with: "") + "\n" }.joined()

    private static let clients = ClientMetrics.all.map { Entry($0, prefix: "CLIENT.") }
    private static let databases = DatabaseMetrics.all.map { Entry($0, prefix: "") }

    private static func table(_ metrics: [Entry]) -> String {
        let rows = metrics.map { metric in
            let values = metric.values.map { values in
                values.names.map { "`\($0)`" }.joined(separator: ", ") + ": \(values.unit)"
            }
            return "| `\(metric.name)` | \(values.joined(separator: "; ")) | "
                + "\(metric.explanation) \(metric.direction) |"
        }
        return (["| metric | values | meaning |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private struct Entry {
        var name: String
        var explanation: String
        var direction: String
        var values: [(names: [String], unit: String)]

        init<Name>(_ metric: MetricDescriptor<Name>, prefix: String) {
            name = prefix + metric.key
            explanation = metric.explanation
            direction =
                metric.isLatency
                ? "Lower is better, except for `count`."
                : metric.isLowerBetter ? "Lower is better." : "Higher is better."
            values = metric.aggregates.reduce(into: []) { values, aggregate in
                let unit = aggregate.unit.valueDescription
                if values.last?.unit == unit {
                    values[values.count - 1].names.append(aggregate.name)
                } else {
                    values.append(([aggregate.name], unit))
                }
            }
        }
    }
}

extension MetricCatalog.Unit {
    fileprivate var valueDescription: String {
        switch self {
        case .time: "time, such as 50ms"
        case .bytes: "size, such as 64MiB"
        case .rate: "rate, such as 100/s"
        case .count: "number, such as 100"
        case .share: "share, such as 1% or 0.01"
        case .ratio: "ratio, such as 0.5"
        }
    }
}

extension MetricCatalog {
    /// The unit of a metric's values and limits.
    public enum Unit: Sendable, Equatable {
        /// Nanoseconds.
        case time
        /// Bytes.
        case bytes
        /// Accesses per second.
        case rate
        /// A count.
        case count
        /// A fraction from 0 through 1, shown as a percentage.
        case share
        /// A number without a unit, shown with decimals, such as `12.50`.
        case ratio

        /// Returns a value as text for reports.
        package func text(_ value: Double) -> String {
            switch self {
            case .time: ReportUnits.time(UInt64(max(0, value.rounded())))
            case .bytes: ReportUnits.bytes(UInt64(max(0, value.rounded())))
            case .rate: ReportUnits.rate(value)
            case .count: HumanUnits.exact(UInt64(max(0, value.rounded())))
            case .share: ReportUnits.percent(value)
            case .ratio: ReportUnits.fraction(value)
            }
        }
    }
}
