#if Metrics
import Foundation
import MetricDescriptors
import Metrics
import MetricsTestKit
import SQLiteEngine
import SQLiteEngineMetrics
import Telemetry
import Testing

@Suite(.timeLimit(.minutes(2)))
struct MetricsReporterTests {
    private let metrics = TestMetrics()

    /// A database whose status tests can change.
    private final class FakeDatabase: StatusReporting {
        let current = Lock(DatabaseStatus(label: "db", kind: .pool))

        func change(_ body: (inout DatabaseStatus) -> Void) { current.withLock { body(&$0) } }

        func status() -> DatabaseStatus { current.withLock { $0 } }

        func events(
            slowerThan limit: Duration,
            buffering capacity: Int
        ) -> AsyncStream<ConnectionEvent> {
            AsyncStream { $0.finish() }
        }

        func interrupt() {}

        func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int) { (0, 0) }
    }

    @Test func aPoolIsReported() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "metrics-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.label = "app"
        let path = folder.appendingPathComponent("app.sqlite").path
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        let reporter = MetricsReporter(pool, factory: metrics)
        for _ in 0..<5 { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        for _ in 0..<7 { _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } }
        reporter.report()

        // The write before the reporter was created is not counted.
        let writer = [("db_client_connection_pool_name", "app.writer")]
        let readers = [("db_client_connection_pool_name", "app.readers")]
        let holds = "db_client_connection_use_time_seconds"
        #expect(try metrics.expectTimer(holds, writer).values.count == 5)
        #expect(try metrics.expectTimer(holds, readers).values.count == 7)
        let maximum = try metrics.expectGauge("db_client_connection_max", readers)
        #expect(maximum.lastValue == Double(configuration.maximumReaderCount))
        let pages = try metrics.expectGauge("sqlite_wal_frames", [("database", "app")])
        #expect(pages.lastValue ?? 0 >= 6)
        // An agent exports the same names.
        let names = Set(DatabaseMetric.all.map(\.name))
        let reported =
            metrics.timers.map(\.label) + metrics.recorders.map(\.label)
            + metrics.counters.map(\.label)
        #expect(Set(reported).isSubset(of: names))
    }

    @Test func countersIncreaseByTheDifference() throws {
        let database = FakeDatabase()
        database.change { $0.busyCount = 4 }
        let reporter = MetricsReporter(database, factory: metrics)
        database.change { $0.busyCount = 6 }
        reporter.report()
        // After a decrease, only increases above the previous maximum are counted.
        database.change { $0.busyCount = 5 }
        reporter.report()
        database.change { $0.busyCount = 9 }
        reporter.report()
        reporter.report()
        let counter = try metrics.expectCounter(
            "sqlite_busy_total",
            [("database", "db"), ("cause", "unknown")]
        )
        #expect(counter.values == [2, 3])
    }

    @Test func secondsAreCountedWithTheirFractions() throws {
        let database = FakeDatabase()
        database.change { $0.busyWaitNanoseconds = 0 }
        let reporter = MetricsReporter(database, factory: metrics)
        for tenths in 1...25 as ClosedRange<UInt64> {
            database.change { $0.busyWaitNanoseconds = tenths * 100_000_000 }
            reporter.report()
        }
        // The counter of the test kit counts whole seconds.
        let counter = try metrics.expectCounter(
            "sqlite_busy_wait_seconds_total",
            [("database", "db")]
        )
        #expect(counter.totalValue == 2)
    }

    @Test func anUnknownGaugeIsDestroyed() throws {
        let database = FakeDatabase()
        database.change { $0.wal = WALStatus(bytes: 100, frames: 3) }
        let reporter = MetricsReporter(database, factory: metrics)
        reporter.report()
        let labels = [("database", "db")]
        #expect(try metrics.expectGauge("sqlite_wal_frames", labels).lastValue == 3)
        database.change { $0.wal = WALStatus(bytes: 200) }
        reporter.report()
        #expect(throws: TestMetricsError.self) {
            try metrics.expectGauge("sqlite_wal_frames", labels)
        }
        #expect(try metrics.expectGauge("sqlite_wal_bytes", labels).lastValue == 200)
    }

    @Test func unknownCountsAreNotReported() throws {
        let database = FakeDatabase()
        database.change { $0.interrupts = nil }
        let reporter = MetricsReporter(database, factory: metrics)
        reporter.report()
        #expect(metrics.counters(label: "sqlite_interrupts_total").isEmpty)
        #expect(metrics.recorders(label: "db_client_connection_pending_requests").isEmpty)
        #expect(!metrics.counters(label: "sqlite_snapshots_total").isEmpty)
    }

    @Test func theEndOfTheReporterRemovesItsGauges() {
        let database = FakeDatabase()
        database.change { $0.wal = WALStatus(bytes: 100) }
        do {
            let reporter = MetricsReporter(database, factory: metrics)
            reporter.report()
            #expect(!metrics.recorders.isEmpty)
        }
        #expect(metrics.recorders.isEmpty)
        #expect(!metrics.counters.isEmpty)
    }

    @Test func runReportsUntilItIsCanceled() async throws {
        let database = FakeDatabase()
        let reporter = MetricsReporter(database, interval: .milliseconds(1), factory: metrics)
        let running = Task { try await reporter.run() }
        let labels = [("database", "db")]
        database.change { $0.snapshotsMade = 1 }
        while (try? metrics.expectCounter("sqlite_snapshots_total", labels).totalValue) != 1 {
            await Task.yield()
        }
        running.cancel()
        try await running.value
        // Nothing reports later changes.
        database.change { $0.snapshotsMade = 2 }
        #expect(try metrics.expectCounter("sqlite_snapshots_total", labels).totalValue == 1)
    }

    @Test func aCanceledRunReportsOnceMore() async throws {
        let database = FakeDatabase()
        let reporter = MetricsReporter(database, interval: .seconds(3_600), factory: metrics)
        database.change { $0.snapshotsMade = 3 }
        let running = Task { try await reporter.run() }
        running.cancel()
        try await running.value
        let labels = [("database", "db")]
        #expect(try metrics.expectCounter("sqlite_snapshots_total", labels).totalValue == 3)
    }
}
#endif
