import Findings
import MetricDescriptors
import PoolgaugeAgent
import SQLiteWatch
import Telemetry
import Text

/// The latest report on a database and the totals of all its reports.
struct ExportedDatabase {
    var report: WatchReport
    var totals: WatchTotals
}

/// The metrics of a database that other processes use.
enum WatchMetric {
    /// All metrics, in output order.
    static let all = file + log + totals + findings

    private static func metric(
        _ name: String,
        type: MetricType,
        help: String,
        _ value: @escaping @Sendable (ExportedDatabase) -> Double?
    ) -> Metric<ExportedDatabase> {
        .single(name, type: type, help: help, label: ("database", { $0.path }), value)
    }

    private static func metric(
        _ title: MetricTitle,
        _ value: @escaping @Sendable (ExportedDatabase) -> Double?
    ) -> Metric<ExportedDatabase> {
        metric(title.name, type: title.type, help: title.help, value)
    }

    private static let file = [
        metric(.up) { database in
            [.present, .empty].contains(database.report.file.state) ? 1 : 0
        },
        metric("sqlite_file_bytes", type: .gauge, help: "The size of the database file.") {
            $0.report.file.bytes.map { Double($0) }
        },
        metric(
            "sqlite_processes",
            type: .gauge,
            help: "The number of processes that use the database."
        ) {
            Double($0.report.processes.count)
        },
        metric(
            "sqlite_processes_waiting",
            type: .gauge,
            help: "The number of processes that are probably waiting for a lock, if known."
        ) { database in
            let waits = database.report.processes.compactMap(\.waiting)
            return waits.isEmpty ? nil : Double(waits.count { $0.isWaiting })
        },
        metric(
            "sqlite_write_lock_seconds",
            type: .gauge,
            help:
                "A lower bound for how long the current write transaction has held the lock, or 0 if there is none."
        ) { database in
            let writing: Set<LockKind> = [.writer, .reserved, .pending, .exclusive]
            return database.longestLock { writing.contains($0) }
        },
    ]

    private static let log = [
        metric(.walBytes) { $0.report.wal.map { Double($0.bytes) } },
        metric(.walFrames) { $0.report.wal?.frames.map { Double($0) } },
        metric(.walCheckpointedFrames) { $0.report.wal?.backfilled.map { Double($0) } },
        metric(.walPinnedFrames) { $0.report.wal?.pinned.map { Double($0) } },
        metric(.walOldestReader) { database in
            database.report.wal.flatMap { _ in database.longestLock { $0 == .reader } }
        },
    ]

    private static let findings = [
        Metric(
            "sqlite_findings",
            .gauge,
            "The number of findings, as in the reports of poolgauge top.",
            labels: ["database", "kind", "level"]
        ) { (database: ExportedDatabase) in
            Dictionary(grouping: database.report.findings) {
                [$0.kind.rawValue, $0.level.rawValue]
            }
            .sorted { $0.key.joined() < $1.key.joined() }
            .map { MetricValue([database.path] + $0.key, .single(Double($0.value.count))) }
        }
    ]

    private static let totals: [Metric<ExportedDatabase>] = [
        metric(
            "sqlite_commits_total",
            type: .counter,
            help: "The number of commits that changed the database."
        ) {
            $0.isKnown ? Double($0.totals.commits) : nil
        },
        metric(
            "sqlite_wal_written_frames_total",
            type: .counter,
            help: "The number of frames written to the log."
        ) {
            $0.report.wal?.commits != nil ? Double($0.totals.framesWritten) : nil
        },
        Metric(.checkpoints, labels: ["database", "mode"]) { database in
            guard database.report.wal?.commits != nil else { return [] }
            let count = Double(database.totals.checkpoints)
            return [MetricValue([database.path, "unknown"], .single(count))]
        },
        metric(
            "sqlite_wal_checkpointed_frames_total",
            type: .counter,
            help: "The number of frames that checkpoints copied to the database file."
        ) { $0.report.wal?.commits != nil ? Double($0.totals.framesCheckpointed) : nil },
        metric("sqlite_wal_resets_total", type: .counter, help: "The number of log resets.") {
            $0.report.wal?.commits != nil ? Double($0.totals.resets) : nil
        },
        Metric(
            "sqlite_lock_seconds_total",
            .counter,
            "The estimated time that programs held locks to write, read, or checkpoint.",
            labels: ["database", "lock", "program"]
        ) { database in
            database.totals.lockSeconds
                .sorted { ($0.key.lock, $0.key.program) < ($1.key.lock, $1.key.program) }
                .map { holder, seconds in
                    let labels = [database.path, holder.lock, holder.program]
                    return MetricValue(labels, .single(seconds))
                }
        },
    ]
}

extension ExportedDatabase {
    /// The path, without control characters.
    fileprivate var path: String { Escaping.terminal(report.file.path) }

    /// Whether the report contains the database's transactions.
    fileprivate var isKnown: Bool { report.wal?.commits != nil || report.rollback != nil }

    /// Returns the longest time that a process has held a lock, or `nil` if locks are not visible.
    fileprivate func longestLock(_ isIncluded: (LockKind) -> Bool) -> Double? {
        guard report.file.state == .present else { return nil }
        let locks = report.processes.flatMap(\.locks).filter { isIncluded($0.kind) }
        return locks.map(\.seconds).max() ?? 0
    }
}

/// The totals of a watched database since the start of the command.
///
/// A report contains the counts of its interval.
struct WatchTotals: Equatable {
    /// A kind of lock, and the program that held it.
    struct Holder: Hashable {
        var lock: String
        var program: String
    }

    private(set) var commits: UInt64 = 0
    private(set) var framesWritten: UInt64 = 0
    private(set) var checkpoints: UInt64 = 0
    private(set) var framesCheckpointed: UInt64 = 0
    private(set) var resets: UInt64 = 0
    /// The estimated time for which programs held locks, in seconds.
    private(set) var lockSeconds: [Holder: Double] = [:]

    /// The maximum number of programs, which limits the number of time series.
    ///
    /// Additional programs count as ``others``.
    static let programLimit = 64
    static let others = "other"

    private var programs: Set<String> = []

    /// Adds the counts of an interval.
    mutating func add(_ report: WatchReport) {
        if let wal = report.wal {
            commits &+= wal.commits ?? 0
            framesWritten &+= wal.framesWritten ?? 0
            checkpoints &+= wal.checkpoints ?? 0
            framesCheckpointed &+= wal.framesBackfilled ?? 0
            resets &+= wal.resets ?? 0
        }
        commits &+= report.rollback?.transactions ?? 0
        for process in report.processes {
            let shares = [
                ("write", process.share.writer), ("read", process.share.reader),
                ("checkpoint", process.share.checkpoint),
            ]
            for (lock, share) in shares where share.value > 0 {
                let holder = Holder(
                    lock: lock,
                    program: program(Escaping.terminal(process.name))
                )
                lockSeconds[holder, default: 0] += share.value * report.window.seconds
            }
        }
    }

    private mutating func program(_ name: String) -> String {
        if programs.contains(name) { return name }
        guard programs.count < Self.programLimit else { return Self.others }
        programs.insert(name)
        return name
    }
}

/// The metrics of the latest reports on databases that other processes use.
final class WatchMetrics: Sendable {
    private struct State {
        /// The paths of the databases, in the order of their first reports.
        var order: [String] = []
        var databases: [String: ExportedDatabase] = [:]
    }

    private let state = Lock(State())
    private let writer = MetricText()

    /// Adds the reports on all databases for an interval.
    func receive(_ reports: [WatchReport]) {
        state.withLock { state in
            var newDatabases: [String: ExportedDatabase] = [:]
            for report in reports {
                var totals = state.databases[report.file.path]?.totals ?? WatchTotals()
                totals.add(report)
                newDatabases[report.file.path] = ExportedDatabase(report: report, totals: totals)
            }
            state = State(order: reports.map(\.file.path), databases: newDatabases)
        }
    }

    /// Returns the metrics in Prometheus's text format, or an empty string before the first report.
    func text() -> String {
        let databases = state.withLock { state in state.order.compactMap { state.databases[$0] } }
        return writer.text(WatchMetric.all, of: databases)
    }
}
