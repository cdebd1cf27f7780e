import MetricDescriptors
import SQLiteEngine
import Telemetry
import Testing

@testable import PoolgaugeAgent

struct AgentMetricsTests {
    private let summary = LatencySummary(count: 2_000, mean: 1_500, p50: 1_000, max: 9_000_000)

    private func text(of status: DatabaseStatus) -> String {
        MetricText().text(DatabaseMetric.all, of: [status])
    }

    private var status: DatabaseStatus {
        var status = DatabaseStatus(
            label: "or\"d\\er\ns",
            kind: .pool,
            readers: ReaderPoolStatus(inUse: 2, open: 3, maximum: 4),
            acquire: summary,
            wal: WALStatus(bytes: 4_152, frames: 1)
        )
        status.waitingReaders = [
            WaiterStatus(origin: AccessOrigin(name: "a"), waitedNanoseconds: 1)
        ]
        status.connections = [ConnectionStatus(label: "w", role: .writer, sql: "SECRET")]
        return status
    }

    @Test func theTextDescribesReadersAndTheWriter() {
        let lines = text(of: status).split(separator: "\n").map(String.init)
        let readers = #"{db_client_connection_pool_name="or\"d\\er\ns.readers""#
        for line in [
            "# TYPE db_client_connections gauge",
            "db_client_connections\(readers),db_client_connection_state=\"used\"} 2",
            "db_client_connections\(readers),db_client_connection_state=\"idle\"} 1",
            "db_client_connection_max\(readers)} 4",
            "db_client_connection_pending_requests\(readers)} 1",
            #"sqlite_wal_frames{database="or\"d\\er\ns"} 1"#,
            #"sqlite_interrupts_total{database="or\"d\\er\ns",outcome="delivered"} 0"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // No label contains SQL, and values that are unknown are absent.
        #expect(!lines.contains { $0.contains("SECRET") })
        #expect(!lines.contains { $0.contains("checkpointed_frames") })
        #expect(!lines.contains { $0.contains("sqlite_checkpoint_total") })
    }

    @Test func latenciesWithoutBucketsAreASummary() {
        let lines = text(of: status).split(separator: "\n").map(String.init)
        let readers = #"{db_client_connection_pool_name="or\"d\\er\ns.readers""#
        for line in [
            "# TYPE db_client_connection_wait_time_seconds summary",
            "db_client_connection_wait_time_seconds\(readers),quantile=\"0.5\"} 1e-06",
            "db_client_connection_wait_time_seconds\(readers),quantile=\"1\"} 0.009",
            "db_client_connection_wait_time_seconds_sum\(readers)} 0.003",
            "db_client_connection_wait_time_seconds_count\(readers)} 2000",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func latenciesWithBucketsAreAHistogram() {
        var status = status
        status.acquire?.buckets = LatencyBuckets(sum: 3_000_000, counts: [1_990, 0, 9, 1])
        let lines = text(of: status).split(separator: "\n").map(String.init)
        let readers = #"{db_client_connection_pool_name="or\"d\\er\ns.readers""#
        let name = "db_client_connection_wait_time_seconds"
        for line in [
            "# TYPE \(name) histogram",
            "\(name)_bucket\(readers),le=\"1e-06\"} 1990",
            "\(name)_bucket\(readers),le=\"2.5e-06\"} 1990",
            "\(name)_bucket\(readers),le=\"5e-06\"} 1999",
            "\(name)_bucket\(readers),le=\"10\"} 2000",
            "\(name)_bucket\(readers),le=\"+Inf\"} 2000",
            "\(name)_sum\(readers)} 0.003",
            "\(name)_count\(readers)} 2000",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!lines.contains { $0.contains("quantile") })
        // If one of the pools has no buckets, the metric is a summary for both pools.
        status.writerAcquire = summary
        #expect(text(of: status).contains("# TYPE \(name) summary\n"))
        #expect(!text(of: status).contains("\(name)_bucket"))
    }

    @Test func lockConflictsHaveACauseIfItIsKnown() {
        var status = status
        status.busyCount = 5
        #expect(text(of: status).contains("cause=\"unknown\"} 5\n"))
        status.busyUpgradeCount = 2
        #expect(text(of: status).contains("cause=\"lock\"} 3\n"))
        #expect(text(of: status).contains("cause=\"snapshot-upgrade\"} 2\n"))
    }

    @Test func unknownValuesAreAbsent() {
        var status = status
        status.acquire = nil
        status.waitingReaders = []
        status.readers?.saturatedNanoseconds = nil
        status.interrupts = nil
        status.wal?.frames = nil
        let unknown = text(of: status)
        for name in [
            "db_client_connection_pending_requests", "sqlite_readers_saturated_seconds_total",
            "sqlite_interrupt_requests_total", "sqlite_interrupts_total",
            "sqlite_wal_pinned_frames",
        ] {
            #expect(!unknown.contains(name), "\(name)")
        }
        #expect(unknown.contains("sqlite_wal_oldest_reader_seconds"))
        status.connections = []
        #expect(!text(of: status).contains("sqlite_wal_oldest_reader_seconds"))
        status.waitingWritersPeak = 0
        #expect(text(of: status).contains("db_client_connection_pending_requests"))
    }

    @Test func checkpointsHaveAMode() {
        var status = status
        status.wal?.checkpoints = ["full": 2, "unknown": 7]
        #expect(text(of: status).contains("mode=\"full\"} 2\n"))
        #expect(text(of: status).contains("mode=\"unknown\"} 7\n"))
    }

    @Test func aQueueIsOnePool() {
        let status = DatabaseStatus(
            label: "q",
            kind: .queue,
            connections: [ConnectionStatus(label: "q", role: .queue, state: .closure)]
        )
        let text = text(of: status)
        #expect(text.contains("db_client_connection_max{db_client_connection_pool_name=\"q\"} 1\n"))
        #expect(text.contains("db_client_connection_state=\"used\"} 1\n"))
    }

    @Test func sumsNeverDecrease() {
        let writer = MetricText()
        var status = status
        _ = writer.text(DatabaseMetric.all, of: [status])
        // The rounded mean multiplied by the count is smaller than the previous sum.
        status.acquire = LatencySummary(count: 2_001, mean: 1_499, max: 9_000_000)
        let sum = ".readers\"} 0.003\n"
        #expect(writer.text(DatabaseMetric.all, of: [status]).contains(sum))
        writer.discardStoredValues()
        #expect(!writer.text(DatabaseMetric.all, of: [status]).contains(sum))
    }

    @Test func linesHaveTheFormatOfPrometheus() throws {
        let test = try TestAgent()
        try test.pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        _ = try test.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        try test.pool.writeWithoutTransaction { _ = try $0.checkpoint() }
        let text = text(of: test.pool.status())
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(
                try /[a-z_]+\{([a-z_]+="[^"]*",?)+\} [0-9.e-]+/.wholeMatch(in: line) != nil,
                "\(line)"
            )
        }
        #expect(text.contains("sqlite_checkpoint_total{database=\"\(test.pool.status().label)\","))
        #expect(text.contains("# TYPE db_client_connection_use_time_seconds histogram\n"))
        #expect(Set(DatabaseMetric.all.map(\.name)).count == DatabaseMetric.all.count)
    }

    @Test func additionalLabelsComeFirst() {
        let text = MetricText().text(
            DatabaseMetric.all,
            of: [
                DatabaseStatus(label: "a", kind: .queue), DatabaseStatus(label: "b", kind: .queue),
            ],
            labels: [("arm", "x")]
        )
        #expect(text.contains("sqlite_snapshots_total{arm=\"x\",database=\"a\"} 0\n"))
        #expect(text.contains("sqlite_snapshots_total{arm=\"x\",database=\"b\"} 0\n"))
        // Each metric has one description.
        #expect(text.components(separatedBy: "# TYPE sqlite_snapshots_total").count == 2)
    }
}
