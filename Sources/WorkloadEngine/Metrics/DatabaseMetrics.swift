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
        .number("pool.utilization", "mean", .share, "The share of readers in use.") {
            $0.pool?.utilization
        },
        .number(
            "pool.saturation",
            "mean",
            .share,
            "The share of time during which all readers were in use and an access waited."
        ) { $0.pool?.saturation },
        .number(
            "pool.readers",
            "max",
            .count,
            "The largest number of readers in use at the same time."
        ) { $0.pool?.readersPeak.map { Double($0) } },
        .number(
            "pool.waiting-readers",
            "max",
            .count,
            "The largest number of accesses that waited to read at the same time."
        ) { $0.pool.map { Double($0.waitingReadersPeak) } },
        .number(
            "pool.waiting-writers",
            "max",
            .count,
            "The largest number of accesses that waited to write at the same time."
        ) { $0.pool.map { Double($0.waitingWritersPeak) } },
        .number(
            "snapshots.made",
            "count",
            .count,
            isLowerBetter: false,
            "Snapshots taken."
        ) { $0.snapshots.map { Double($0.made) } },
        .number("snapshots.age", "max", .time, "The age of the oldest snapshot.") {
            $0.snapshots?.oldestSeconds.map { $0 * 1e9 }
        },
        .number("interrupts.requested", "count", .count, "Calls to `interrupt()`.") {
            $0.interrupts.map { Double($0.requested) }
        },
        .number("interrupts.delivered", "count", .count, "Statements ended by interrupts.") {
            $0.interrupts.map { Double($0.delivered) }
        },
        .number(
            "interrupts.without-effect",
            "count",
            .count,
            "Calls to `interrupt()` while no statement was running."
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
