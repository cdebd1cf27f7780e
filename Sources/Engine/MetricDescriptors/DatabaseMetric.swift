import Telemetry

/// The metrics of a database, in output order.
///
/// Counts and times cover the period since the database was opened. Names follow OpenTelemetry's
/// conventions for connection pools, in Prometheus format. A database's readers count as one pool,
/// and its writer counts as a second pool. No label contains SQL.
package enum DatabaseMetric {
    /// All metrics.
    package static let all = connections + latencies + log + counts

    private static func metric(
        _ name: String,
        type: MetricType,
        help: String,
        _ value: @escaping @Sendable (DatabaseStatus) -> Double?
    ) -> Metric<DatabaseStatus> {
        .single(name, type: type, help: help, label: ("database", { $0.label }), value)
    }

    private static func metric(
        _ title: MetricTitle,
        _ value: @escaping @Sendable (DatabaseStatus) -> Double?
    ) -> Metric<DatabaseStatus> {
        metric(title.name, type: title.type, help: title.help, value)
    }

    // MARK: Connections

    private static let poolLabel = "db_client_connection_pool_name"
    private static let stateLabel = "db_client_connection_state"

    /// The pools of a database: the writer and, if they are separate, the readers.
    private struct Pool {
        var name: String
        var used: Int
        var open: Int
        var maximum: Int
        /// The number of waiting accesses, or `nil` if unknown.
        var pending: Int?
        var wait: LatencySummary?
        var use: LatencySummary?

        static func of(_ status: DatabaseStatus) -> [Pool] {
            let writer = status.connections.filter { $0.role == .writer || $0.role == .queue }
            let used = writer.count { $0.state != .idle }
            func pending(_ count: Int) -> Int? { status.hidesWaits ? nil : count }
            guard let readers = status.readers else {
                return [
                    Pool(
                        name: status.label,
                        used: used,
                        open: writer.count,
                        maximum: 1,
                        pending: pending(
                            status.waitingReaders.count + status.waitingWriters.count
                        ),
                        wait: status.acquire,
                        use: status.hold
                    )
                ]
            }
            return [
                Pool(
                    name: status.label + ".writer",
                    used: used,
                    open: writer.count,
                    maximum: 1,
                    pending: pending(status.waitingWriters.count),
                    wait: status.writerAcquire,
                    use: status.writerHold
                ),
                Pool(
                    name: status.label + ".readers",
                    used: readers.inUse,
                    open: readers.open,
                    maximum: readers.maximum,
                    pending: pending(status.waitingReaders.count),
                    wait: status.acquire,
                    use: status.hold
                ),
            ]
        }
    }

    private static func poolMetric(
        _ name: String,
        type: MetricType,
        help: String,
        _ value: @escaping @Sendable (Pool) -> MetricValue.Number?
    ) -> Metric<DatabaseStatus> {
        Metric(name, type, help, labels: [poolLabel]) { status in
            Pool.of(status).compactMap { pool in
                value(pool).map { MetricValue([pool.name], $0) }
            }
        }
    }

    private static let connections: [Metric<DatabaseStatus>] = [
        // OpenTelemetry's name ends with `count`, a suffix that Prometheus reserves for histograms.
        Metric(
            "db_client_connections",
            .gauge,
            "The number of open connections, by state.",
            labels: [poolLabel, stateLabel]
        ) { status in
            Pool.of(status).flatMap { pool in
                // The two counts are read at different times, so `used` may briefly exceed `open`.
                let (open, used) = (Double(pool.open), Double(pool.used))
                return [("used", used), ("idle", max(0, open - used))].map { state, count in
                    MetricValue([pool.name, state], .single(count))
                }
            }
        },
        poolMetric(
            "db_client_connection_max",
            type: .gauge,
            help: "The maximum number of connections."
        ) {
            .single(Double($0.maximum))
        },
        poolMetric(
            "db_client_connection_pending_requests",
            type: .gauge,
            help: "The number of accesses waiting for a connection."
        ) { $0.pending.map { .single(Double($0)) } },
        poolMetric(
            "db_client_connection_wait_time_seconds",
            type: .histogram,
            help: "The time that accesses waited for a connection."
        ) { $0.wait.map { .latency($0) } },
        poolMetric(
            "db_client_connection_use_time_seconds",
            type: .histogram,
            help: "The time that accesses held a connection."
        ) { $0.use.map { .latency($0) } },
        metric(
            "sqlite_readers_busy_seconds_total",
            type: .counter,
            help: "The total time that accesses held readers."
        ) { $0.readers.map { seconds($0.busyNanoseconds) } },
        metric(
            "sqlite_readers_saturated_seconds_total",
            type: .counter,
            help: "The total time during which all readers were in use and an access waited."
        ) { $0.readers?.saturatedNanoseconds.map(seconds) },
    ]

    private static func latency(
        _ name: String,
        help: String,
        _ value: @escaping @Sendable (DatabaseStatus) -> LatencySummary?
    ) -> Metric<DatabaseStatus> {
        Metric(name, .histogram, help, labels: ["database"]) { status in
            value(status).map { [MetricValue([status.label], .latency($0))] } ?? []
        }
    }

    private static let latencies: [Metric<DatabaseStatus>] = [
        latency(
            "sqlite_connection_open_time_seconds",
            help: "The time required to open a connection."
        ) {
            $0.openings?.time
        },
        latency(
            "sqlite_statement_time_seconds",
            help: "The time from the first to the last step of measured statements."
        ) { $0.statement },
        latency(
            "sqlite_commit_time_seconds",
            help: "The time required to commit write transactions."
        ) {
            $0.commit
        },
    ]

    // MARK: Write-ahead log

    private static let log: [Metric<DatabaseStatus>] = [
        metric(.walBytes) { $0.wal.map { Double($0.bytes) } },
        metric(.walFrames) { $0.wal?.frames.map { Double($0) } },
        metric(.walCheckpointedFrames) { $0.wal?.checkpointedFrames.map { Double($0) } },
        metric(.walPinnedFrames) { status in
            // Without the number of frames, a snapshot's status does not contain its pinned frames.
            status.wal?.frames.map { _ in
                Double(status.snapshots.compactMap(\.pinnedFrames).max() ?? 0)
            }
        },
        metric(.walOldestReader) { status in
            let reads = status.connections.filter { $0.transaction == .read }
            let ages = reads.compactMap(\.heldNanoseconds) + status.snapshots.map(\.ageNanoseconds)
            return status.wal.flatMap { _ in
                status.hidesConnections ? nil : seconds(ages.max() ?? 0)
            }
        },
        Metric(.checkpoints, labels: ["database", "mode"]) { status in
            (status.wal?.checkpoints ?? [:]).sorted { $0.key < $1.key }.map { mode, count in
                MetricValue([status.label, mode], .single(Double(count)))
            }
        },
        metric(
            "sqlite_snapshot_oldest_seconds",
            type: .gauge,
            help: "The age of the oldest snapshot, or 0 if there is none."
        ) { seconds($0.snapshots.map(\.ageNanoseconds).max() ?? 0) },
    ]

    // MARK: Counts

    private static let counts: [Metric<DatabaseStatus>] = [
        metric("sqlite_snapshots_total", type: .counter, help: "The number of snapshots created.") {
            Double($0.snapshotsMade)
        },
        Metric(
            "sqlite_busy_total",
            .counter,
            "The number of times that a connection encountered another connection's lock, by cause.",
            labels: ["database", "cause"]
        ) { status in
            let count = { (cause: String, count: UInt64) in
                MetricValue([status.label, cause], .single(Double(count)))
            }
            guard let upgrades = status.busyUpgradeCount else {
                return [count("unknown", status.busyCount)]
            }
            return [
                count("lock", status.busyCount - min(upgrades, status.busyCount)),
                count("snapshot-upgrade", upgrades),
            ]
        },
        metric(
            "sqlite_busy_wait_seconds_total",
            type: .counter,
            help: "The time spent waiting for other connections' locks."
        ) { $0.busyWaitNanoseconds.map(seconds) },
        metric(
            "sqlite_interrupt_requests_total",
            type: .counter,
            help: "The number of calls to interrupt()."
        ) {
            $0.interrupts.map { Double($0.requested) }
        },
        Metric(
            "sqlite_interrupts_total",
            .counter,
            "The number of interrupted statements and of calls without effect, by outcome.",
            labels: ["database", "outcome"]
        ) { status in
            guard let interrupts = status.interrupts else { return [] }
            let counts = [
                ("delivered", interrupts.delivered),
                ("without_effect", interrupts.withoutEffect),
            ]
            return counts.map { outcome, count in
                MetricValue([status.label, outcome], .single(Double(count)))
            }
        },
    ]
}

/// Returns a time in seconds, given the time in nanoseconds.
package func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }

/// An exported metric: its name, and its values in a source, such as a database status.
package struct Metric<Source>: Sendable {
    package var name: String
    package var type: MetricType
    /// A one-line description.
    package var help: String
    /// The names of the labels, in the order of ``MetricValue/labels``.
    package var labels: [String]
    /// A function that returns the values in a source.
    package var values: @Sendable (Source) -> [MetricValue]

    package init(
        _ name: String,
        _ type: MetricType,
        _ help: String,
        labels: [String],
        values: @escaping @Sendable (Source) -> [MetricValue]
    ) {
        self.name = name
        self.type = type
        self.help = help
        self.labels = labels
        self.values = values
    }

    package init(
        _ title: MetricTitle,
        labels: [String],
        values: @escaping @Sendable (Source) -> [MetricValue]
    ) {
        self.init(title.name, title.type, title.help, labels: labels, values: values)
    }

    /// Creates a metric with one value, or without values if the value is unknown.
    ///
    /// - Parameters:
    ///   - name: The name of the metric.
    ///   - type: The type of the metric.
    ///   - help: A one-line description.
    ///   - label: The name and value of the only label.
    ///   - value: A function that returns the value, or `nil` if the value is unknown.
    /// - Returns: The metric.
    package static func single(
        _ name: String,
        type: MetricType,
        help: String,
        label: (name: String, value: @Sendable (Source) -> String),
        _ value: @escaping @Sendable (Source) -> Double?
    ) -> Metric {
        Metric(name, type, help, labels: [label.name]) { source in
            value(source).map { [MetricValue([label.value(source)], .single($0))] } ?? []
        }
    }
}

/// The types of metrics in Prometheus's text format.
package enum MetricType: String, Sendable {
    case counter
    case gauge
    /// A classic histogram, or a summary if a latency has no buckets.
    case histogram
}

/// A value of a metric.
package struct MetricValue: Sendable {
    package enum Number: Sendable {
        case single(Double)
        case latency(LatencySummary)
    }

    /// The values of the metric's labels.
    package var labels: [String]
    package var number: Number

    package init(_ labels: [String], _ number: Number) {
        self.labels = labels
        self.number = number
    }
}

/// The name, type, and description of a metric that several kinds of sources report.
package struct MetricTitle: Sendable {
    package var name: String
    package var type: MetricType
    /// A one-line description.
    package var help: String

    package static let up = MetricTitle(
        name: "sqlite_up",
        type: .gauge,
        help: "1 if the file is a readable database or the agent responds; otherwise, 0."
    )
    package static let walBytes = MetricTitle(
        name: "sqlite_wal_bytes",
        type: .gauge,
        help: "The size of the write-ahead log file."
    )
    package static let walFrames = MetricTitle(
        name: "sqlite_wal_frames",
        type: .gauge,
        help: "The number of valid frames in the write-ahead log."
    )
    package static let walCheckpointedFrames = MetricTitle(
        name: "sqlite_wal_checkpointed_frames",
        type: .gauge,
        help: "The number of valid frames that have been copied to the database file."
    )
    package static let walPinnedFrames = MetricTitle(
        name: "sqlite_wal_pinned_frames",
        type: .gauge,
        help: "The number of frames that checkpoints cannot copy because of a reader or snapshot."
    )
    package static let walOldestReader = MetricTitle(
        name: "sqlite_wal_oldest_reader_seconds",
        type: .gauge,
        help: "The age of the oldest visible read transaction or snapshot, or 0 if there is none."
    )
    package static let checkpoints = MetricTitle(
        name: "sqlite_checkpoint_total",
        type: .counter,
        help: "The number of checkpoints, by mode. The mode is `unknown` if the program did not "
            + "request the checkpoint."
    )
}
