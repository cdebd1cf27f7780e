/// The definition of a metric for thresholds, comparisons, reports, and the documentation.
///
/// A run provides the values.
package struct MetricDescriptor<Name: RawRepresentable<String> & Sendable>: Sendable {
    package struct Aggregate: Sendable {
        /// The name in thresholds, such as `p(99)`.
        package let name: String
        package let unit: MetricCatalog.Unit
    }

    package let name: Name
    /// The column title in text and HTML tables, or `nil` if there is no column.
    package let column: String?
    let isLowerBetter: Bool
    let explanation: String
    /// The values in thresholds and comparisons.
    ///
    /// Tables and CSV show only the first value.
    package let aggregates: [Aggregate]
    /// Whether the values are those of a latency summary.
    package let isLatency: Bool

    /// The key in thresholds, without the client's name.
    ///
    /// In JSON, the key is the name of the result's property.
    package var key: String { name.rawValue }

    init(
        _ name: Name,
        column: String? = nil,
        isLowerBetter: Bool = true,
        _ explanation: String,
        _ aggregates: [Aggregate],
        isLatency: Bool = false
    ) {
        self.name = name
        self.column = column
        self.isLowerBetter = isLowerBetter
        self.explanation = explanation
        self.aggregates = aggregates
        self.isLatency = isLatency
    }

    static func latency(_ name: Name, _ explanation: String) -> Self {
        let times = MetricCatalog.percentiles.map { "p(\($0))" } + ["max", "mean"]
        let aggregates = (times + ["count"]).map { name in
            Aggregate(name: name, unit: name == "count" ? .count : .time)
        }
        return Self(name, explanation, aggregates, isLatency: true)
    }

    /// Creates a count whose rate is its share of the offered accesses.
    static func count(
        _ name: Name,
        isLowerBetter: Bool = true,
        hasColumn: Bool = true,
        explanation: String
    ) -> Self {
        Self(
            name,
            column: hasColumn ? name.rawValue : nil,
            isLowerBetter: isLowerBetter,
            explanation,
            [Aggregate(name: "count", unit: .count), Aggregate(name: "rate", unit: .share)]
        )
    }

    static func number(
        _ name: Name,
        aggregate: String,
        unit: MetricCatalog.Unit,
        column: String? = nil,
        isLowerBetter: Bool = true,
        explanation: String
    ) -> Self {
        Self(
            name,
            column: column,
            isLowerBetter: isLowerBetter,
            explanation,
            [Aggregate(name: aggregate, unit: unit)]
        )
    }
}

/// A metric of each client, with its key as the raw value.
package enum ClientMetric: String, Sendable {
    case response
    case wait
    case service
    case lag
    case offered
    case started
    case completed
    case throughput
    case skipped
    case late
    case retried
    case interrupted
    case errors
    case unfinished
    case fairness
    case longestWait = "longest-wait"
}

/// A metric of a run that does not belong to a client, with its key as the raw value.
package enum RunMetric: String, Sendable {
    case walBytes = "wal.bytes"
    case poolUtilization = "pool.utilization"
    case poolSaturation = "pool.saturation"
    case poolReaders = "pool.readers"
    case poolWaitingReaders = "pool.waiting-readers"
    case poolWaitingWriters = "pool.waiting-writers"
    case snapshotsMade = "snapshots.made"
    case snapshotsAge = "snapshots.age"
    case interruptsRequested = "interrupts.requested"
    case interruptsDelivered = "interrupts.delivered"
    case interruptsWithoutEffect = "interrupts.without-effect"
}

/// The metrics of each client.
///
/// To add a metric, add a case to ``ClientMetric`` and append an entry to ``values``.
package enum ClientMetrics {
    package typealias Metric = MetricDescriptor<ClientMetric>

    static let all: [Metric] = latencies + values

    package static let latencies: [Metric] = [
        .latency(.response, "The time from an access's intended start to its end."),
        .latency(.wait, "The time from an access's start until it can run its first step."),
        .latency(.service, "The time that an access spends running its steps."),
        .latency(.lag, "The time from an access's intended start to its actual start."),
    ]

    /// The metrics that are not latencies, in the order of their columns.
    ///
    /// Each metric has a CSV column. A metric with a ``MetricDescriptor/column``, such as
    /// `throughput`, also has a column in text and HTML tables. A metric such as `longest-wait`
    /// does not.
    package static let values: [Metric] = [
        .count(.offered, isLowerBetter: false, explanation: "Accesses that the load requested."),
        .count(
            .started,
            isLowerBetter: false,
            hasColumn: false,
            explanation: "Accesses that started."
        ),
        .count(.completed, isLowerBetter: false, explanation: "Accesses that succeeded."),
        .number(
            .throughput,
            aggregate: "mean",
            unit: .rate,
            column: "rate",
            isLowerBetter: false,
            explanation: "Completed accesses per second of the measured time."
        ),
        .count(.skipped, explanation: "Accesses skipped for exceeding `skip-after`."),
        .count(.late, explanation: "Accesses that started more than a millisecond late."),
        .count(.retried, explanation: "Attempts that followed `SQLITE_BUSY`."),
        .count(.interrupted, explanation: "Accesses ended by an interrupt."),
        .count(.errors, explanation: "Accesses that failed."),
        .count(.unfinished, explanation: "Accesses still waiting or running at the end."),
        Metric(
            .fairness,
            isLowerBetter: false,
            "The smallest number of accesses that a worker completed, as a fraction of an equal "
                + "share.",
            [.init(name: "min", unit: .ratio)]
        ),
        .number(
            .longestWait,
            aggregate: "max",
            unit: .time,
            explanation: "The longest wait of any access, completed or not."
        ),
    ]

    package static func metric(_ key: String) -> Metric? { byKey[key] }

    package static func isLatency(_ key: String) -> Bool { metric(key)?.isLatency == true }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}

/// The metrics of a run that do not belong to a client.
package enum DatabaseMetrics {
    package typealias Metric = MetricDescriptor<RunMetric>

    static let all: [Metric] = [
        Metric(
            .walBytes,
            "The peak and final sizes of the write-ahead log.",
            [
                .init(name: "max", unit: .bytes),
                .init(name: "final", unit: .bytes),
            ]
        ),
        .number(
            .poolUtilization,
            aggregate: "mean",
            unit: .share,
            explanation: "The share of readers in use."
        ),
        .number(
            .poolSaturation,
            aggregate: "mean",
            unit: .share,
            explanation:
                "The share of time during which all readers were in use and an access waited."
        ),
        .number(
            .poolReaders,
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of readers in use at the same time."
        ),
        .number(
            .poolWaitingReaders,
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of accesses that waited to read at the same time."
        ),
        .number(
            .poolWaitingWriters,
            aggregate: "max",
            unit: .count,
            explanation: "The largest number of accesses that waited to write at the same time."
        ),
        .number(
            .snapshotsMade,
            aggregate: "count",
            unit: .count,
            isLowerBetter: false,
            explanation: "Snapshots taken."
        ),
        .number(
            .snapshotsAge,
            aggregate: "max",
            unit: .time,
            explanation: "The age of the oldest snapshot."
        ),
        .number(
            .interruptsRequested,
            aggregate: "count",
            unit: .count,
            explanation: "Calls to `interrupt()`."
        ),
        .number(
            .interruptsDelivered,
            aggregate: "count",
            unit: .count,
            explanation: "Statements ended by interrupts."
        ),
        .number(
            .interruptsWithoutEffect,
            aggregate: "count",
            unit: .count,
            explanation: "Calls to `interrupt()` while no statement was running."
        ),
    ]

    /// The first parts of the keys, such as `wal`.
    static let groups = all.reduce(into: [String]()) { groups, metric in
        let group = String(metric.key.prefix { $0 != "." })
        if !groups.contains(group) { groups.append(group) }
    }

    package static func metric(_ key: String) -> Metric? { byKey[key] }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}
