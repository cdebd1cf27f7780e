import Telemetry
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
        count("offered", isLowerBetter: false, explanation: "Accesses that the load requested.") {
            $0.offered
        },
        count(
            "started",
            isLowerBetter: false,
            hasColumn: false,
            explanation: "Accesses that started."
        ) {
            $0.started
        },
        count("completed", isLowerBetter: false, explanation: "Accesses that succeeded.") {
            $0.completed
        },
        .number(
            "throughput",
            aggregate: "mean",
            unit: .rate,
            column: "rate",
            isLowerBetter: false,
            explanation: "Completed accesses per second of the measured time."
        ) { $0.throughput },
        count("skipped", explanation: "Accesses skipped for exceeding `skip-after`.") {
            $0.skipped
        },
        count("late", explanation: "Accesses that started more than a millisecond late.") {
            $0.late
        },
        count("retried", explanation: "Attempts that followed `SQLITE_BUSY`.") { $0.retried },
        count("interrupted", explanation: "Accesses ended by an interrupt.") { $0.interrupted },
        count("errors", explanation: "Accesses that failed.") { $0.errorCount },
        count("unfinished", explanation: "Accesses still waiting or running at the end.") {
            $0.unfinished
        },
        Metric(
            "fairness",
            isLowerBetter: false,
            "The smallest number of accesses that a worker completed, as a fraction of an equal "
                + "share.",
            [.init(name: "min", unit: .ratio) { $0.fairness?.smallestShare }],
            samples: { client in client.fairness.map { _ in client.completed } }
        ),
        .number(
            "longest-wait",
            aggregate: "max",
            unit: .time,
            explanation: "The longest wait of any access, completed or not."
        ) {
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
        explanation: String,
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

/// The metrics of a run that do not belong to a client.
enum DatabaseMetrics {
    typealias Metric = MetricDescriptor<ArmResult>

    static let all: [Metric] = [
        Metric(
            "wal.bytes",
            "The peak and final sizes of the write-ahead log.",
            [
                .init(name: "max", unit: .bytes) { $0.wal.map { Double($0.peakBytes) } },
                .init(name: "final", unit: .bytes) { $0.wal.map { Double($0.finalBytes) } },
            ]
        ),
        .number(
            "pool.utilization",
            aggregate: "mean",
            unit: .share,
            explanation: "The share of readers in use."
        ) {
            $0.pool?.utilization
        },
        .number(
            "pool.saturation",
            aggregate: "mean",
            unit: .share,
            explanation:
                "The share of time during which all readers were in use and an access waited."
        ) { $0.pool?.saturation },
        .number(
            "pool.readers",
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of readers in use at the same time."
        ) { $0.pool?.readersPeak.map { Double($0) } },
        .number(
            "pool.waiting-readers",
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of accesses that waited to read at the same time."
        ) { $0.pool.map { Double($0.waitingReadersPeak) } },
        .number(
            "pool.waiting-writers",
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of accesses that waited to write at the same time."
        ) { $0.pool.map { Double($0.waitingWritersPeak) } },
        .number(
            "snapshots.made",
            aggregate: "count",
            unit: .count,
            isLowerBetter: false,
            explanation: "Snapshots taken."
        ) { $0.snapshots.map { Double($0.made) } },
        .number(
            "snapshots.age",
            aggregate: "max",
            unit: .time,
            explanation: "The age of the oldest snapshot."
        ) {
            $0.snapshots?.oldestSeconds.map { $0 * 1e9 }
        },
        .number(
            "interrupts.requested",
            aggregate: "count",
            unit: .count,
            explanation: "Calls to `interrupt()`."
        ) {
            $0.interrupts.map { Double($0.requested) }
        },
        .number(
            "interrupts.delivered",
            aggregate: "count",
            unit: .count,
            explanation: "Statements ended by interrupts."
        ) {
            $0.interrupts.map { Double($0.delivered) }
        },
        .number(
            "interrupts.without-effect",
            aggregate: "count",
            unit: .count,
            explanation: "Calls to `interrupt()` while no statement was running."
        ) { $0.interrupts.map { Double($0.withoutEffect) } },
    ]

    /// The first parts of the keys, such as `wal`.
    static let groups = all.reduce(into: [String]()) { groups, metric in
        let group = String(metric.key.prefix { $0 != "." })
        if !groups.contains(group) { groups.append(group) }
    }

    static func metric(_ key: String) -> Metric? { byKey[key] }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
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

        init<Owner>(_ metric: MetricDescriptor<Owner>, prefix: String) {
            name = prefix + metric.key
            explanation = metric.explanation
            direction =
                metric.latency != nil
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

        /// The suffix of CSV column names.
        var csvSuffix: String {
            switch self {
            case .time: "_ns"
            case .bytes: "_bytes"
            case .rate: "_per_s"
            case .count, .share, .ratio: ""
            }
        }

        /// Returns a value as text for a CSV cell, without the unit.
        func csvText(_ value: Double) -> String {
            switch self {
            case .time, .bytes, .count: String(UInt64(max(0, value.rounded())))
            case .rate, .share, .ratio: String(value)
            }
        }

        /// The value that reports show if there are no samples.
        var valueWithoutSamples: Double? { self == .count ? 0 : nil }
    }
}

extension ArmResult {
    /// Returns the value of a metric, such as `p(99)` of `ui.response`, in its base unit.
    ///
    /// The names are those in ``MetricCatalog``. The value is `nil` if there are no samples or if
    /// no run produces the metric.
    public func value(of metric: String, _ aggregate: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        if let client = clients[parts[0]] {
            return ClientMetrics.metric(parts[1])?.value(aggregate, of: client)
        }
        return DatabaseMetrics.metric(metric)?.value(aggregate, of: self)
    }

    func sampleCount(of metric: String) -> Double? {
        let parts = metric.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let client = clients[parts[0]] else { return nil }
        return ClientMetrics.metric(parts[1])?.sampleCount(of: client)
    }
}
