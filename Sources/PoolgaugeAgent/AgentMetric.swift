import Telemetry

/// Converts nanoseconds to seconds.
func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }

/// A metric: its name, and its values in a status.
struct AgentMetric: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case summary
    }

    enum Number: Sendable {
        case single(Double)
        case summary(LatencySummary)
    }

    struct Value: Sendable {
        var labels: [(String, String)]
        var number: Number
    }

    var name: String
    var type: Kind
    /// A description on one line.
    var help: String
    var values: @Sendable (DatabaseStatus) -> [Value]

    /// All metrics, in the order of the output.
    static let all = connections + latencies + log + counts

    private static func metric(
        _ name: String,
        _ type: Kind,
        _ help: String,
        _ value: @escaping @Sendable (DatabaseStatus) -> Double?
    ) -> AgentMetric {
        AgentMetric(name: name, type: type, help: help) { status in
            let labels = [("database", status.label)]
            return value(status).map { [Value(labels: labels, number: .single($0))] } ?? []
        }
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
        var pending: Int
        var wait: LatencySummary?
        var use: LatencySummary?

        static func of(_ status: DatabaseStatus) -> [Pool] {
            let writer = status.connections.filter { $0.role == .writer || $0.role == .queue }
            let used = writer.count { $0.state != .idle }
            guard let readers = status.readers else {
                return [
                    Pool(
                        name: status.label,
                        used: used,
                        open: writer.count,
                        maximum: 1,
                        pending: status.waitingReaders.count + status.waitingWriters.count,
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
                    pending: status.waitingWriters.count,
                    wait: status.writerAcquire,
                    use: status.writerHold
                ),
                Pool(
                    name: status.label + ".readers",
                    used: readers.inUse,
                    open: readers.open,
                    maximum: readers.maximum,
                    pending: status.waitingReaders.count,
                    wait: status.acquire,
                    use: status.hold
                ),
            ]
        }
    }

    private static func perPool(
        _ name: String,
        _ type: Kind,
        _ help: String,
        _ value: @escaping @Sendable (Pool) -> Number?
    ) -> AgentMetric {
        AgentMetric(name: name, type: type, help: help) { status in
            Pool.of(status).compactMap { pool in
                value(pool).map { Value(labels: [(poolLabel, pool.name)], number: $0) }
            }
        }
    }

    private static let connections = [
        AgentMetric(
            name: "db_client_connection_count",
            type: .gauge,
            help: "The open connections by state."
        ) { status in
            Pool.of(status).flatMap { pool in
                // The counts are read one after the other, so they may differ for a moment.
                let counts = [("used", pool.used), ("idle", max(0, pool.open - pool.used))]
                return counts.map { state, count in
                    Value(
                        labels: [(poolLabel, pool.name), (stateLabel, state)],
                        number: .single(Double(count))
                    )
                }
            }
        },
        perPool("db_client_connection_max", .gauge, "The maximum number of connections.") {
            .single(Double($0.maximum))
        },
        perPool(
            "db_client_connection_pending_requests",
            .gauge,
            "The accesses that wait for a connection."
        ) { .single(Double($0.pending)) },
        perPool(
            "db_client_connection_wait_time_seconds",
            .summary,
            "How long accesses waited for a connection."
        ) { $0.wait.map { .summary($0) } },
        perPool(
            "db_client_connection_use_time_seconds",
            .summary,
            "How long accesses held a connection."
        ) { $0.use.map { .summary($0) } },
        metric(
            "sqlite_readers_busy_seconds_total",
            .counter,
            "The total time that accesses held readers."
        ) { $0.readers.map { seconds($0.busyNanoseconds) } },
        metric(
            "sqlite_readers_saturated_seconds_total",
            .counter,
            "The total time during which all readers were in use and an access waited."
        ) { $0.readers.map { seconds($0.saturatedNanoseconds) } },
    ]

    private static func latency(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (DatabaseStatus) -> LatencySummary?
    ) -> AgentMetric {
        AgentMetric(name: name, type: .summary, help: help) { status in
            let labels = [("database", status.label)]
            return value(status).map { [Value(labels: labels, number: .summary($0))] } ?? []
        }
    }

    private static let latencies = [
        latency("sqlite_connection_open_time_seconds", "How long opening a connection took.") {
            $0.openings?.time
        },
        latency(
            "sqlite_statement_time_seconds",
            "How long measured statements took from their first to their last step."
        ) { $0.statement },
        latency("sqlite_commit_time_seconds", "How long commits of write transactions took.") {
            $0.commit
        },
    ]

    // MARK: The write-ahead log

    private static let log = [
        metric("sqlite_wal_bytes", .gauge, "The size of the write-ahead log file.") {
            $0.wal.map { Double($0.bytes) }
        },
        metric("sqlite_wal_frames", .gauge, "The valid frames in the write-ahead log.") {
            $0.wal?.frames.map { Double($0) }
        },
        metric(
            "sqlite_wal_checkpointed_frames",
            .gauge,
            "The valid frames that have been copied to the database file."
        ) { $0.wal?.checkpointedFrames.map { Double($0) } },
        metric(
            "sqlite_wal_pinned_frames",
            .gauge,
            "The frames that no checkpoint copies because of a snapshot."
        ) { status in
            status.wal.map { _ in Double(status.snapshots.compactMap(\.pinnedFrames).max() ?? 0) }
        },
        metric(
            "sqlite_wal_oldest_reader_seconds",
            .gauge,
            "The age of the oldest read transaction or snapshot of the program."
        ) { status in
            let reads = status.connections.filter { $0.transaction == .read }
            let ages = reads.compactMap(\.heldNanoseconds) + status.snapshots.map(\.ageNanoseconds)
            return status.wal.map { _ in seconds(ages.max() ?? 0) }
        },
        metric(
            "sqlite_snapshot_oldest_seconds",
            .gauge,
            "The age of the oldest snapshot, or 0 if there is none."
        ) { seconds($0.snapshots.map(\.ageNanoseconds).max() ?? 0) },
    ]

    // MARK: Counts

    private static let counts = [
        metric("sqlite_snapshots_total", .counter, "The created snapshots.") {
            Double($0.snapshotsMade)
        },
        metric(
            "sqlite_busy_total",
            .counter,
            "How often a connection encountered another connection's lock."
        ) { Double($0.busyCount) },
        metric(
            "sqlite_busy_wait_seconds_total",
            .counter,
            "The time spent waiting for other connections' locks."
        ) { $0.busyWaitNanoseconds.map(seconds) },
        metric("sqlite_interrupt_requests_total", .counter, "The calls to interrupt().") {
            Double($0.interrupts.requested)
        },
        AgentMetric(
            name: "sqlite_interrupts_total",
            type: .counter,
            help: "The interrupted statements, and the calls that met no statement, by outcome."
        ) { status in
            let counts = [
                ("delivered", status.interrupts.delivered),
                ("without_effect", status.interrupts.withoutEffect),
            ]
            return counts.map { outcome, count in
                Value(
                    labels: [("database", status.label), ("outcome", outcome)],
                    number: .single(Double(count))
                )
            }
        },
    ]
}
