import Foundation
import SQLiteEngine
import Telemetry
import Testing

@testable import PoolgaugeAgent

struct AgentMetricsTests {
    private var status: DatabaseStatus {
        var status = DatabaseStatus(
            label: "or\"d\\er\ns",
            kind: .pool,
            readers: ReaderPoolStatus(inUse: 2, open: 3, maximum: 4),
            acquire: LatencySummary(count: 2_000, mean: 1_500, p50: 1_000, max: 9_000_000),
            wal: WALStatus(bytes: 4_152, frames: 1)
        )
        status.waitingReaders = [
            WaiterStatus(origin: AccessOrigin(name: "a"), waitedNanoseconds: 1)
        ]
        status.connections = [ConnectionStatus(label: "w", role: .writer, sql: "SECRET")]
        return status
    }

    @Test func textDescribesReadersAndWriter() {
        let lines = AgentMetrics().text(of: status).split(separator: "\n").map(String.init)
        let readers = #"{db_client_connection_pool_name="or\"d\\er\ns.readers""#
        for line in [
            "# TYPE db_client_connection_count gauge",
            "db_client_connection_count\(readers),db_client_connection_state=\"used\"} 2",
            "db_client_connection_count\(readers),db_client_connection_state=\"idle\"} 1",
            "db_client_connection_max\(readers)} 4",
            "db_client_connection_pending_requests\(readers)} 1",
            "db_client_connection_wait_time_seconds\(readers),quantile=\"0.5\"} 1e-06",
            "db_client_connection_wait_time_seconds\(readers),quantile=\"1\"} 0.009",
            "db_client_connection_wait_time_seconds_sum\(readers)} 0.003",
            "db_client_connection_wait_time_seconds_count\(readers)} 2000",
            #"sqlite_wal_frames{database="or\"d\\er\ns"} 1"#,
            #"sqlite_interrupts_total{database="or\"d\\er\ns",outcome="delivered"} 0"#,
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // No label contains SQL, and values that are unknown are absent.
        #expect(!lines.contains { $0.contains("SECRET") })
        #expect(!lines.contains { $0.contains("checkpointed_frames") })
    }

    @Test func queueIsOnePool() {
        let status = DatabaseStatus(
            label: "q",
            kind: .queue,
            connections: [ConnectionStatus(label: "q", role: .queue, state: .closure)]
        )
        let text = AgentMetrics().text(of: status)
        #expect(text.contains("db_client_connection_max{db_client_connection_pool_name=\"q\"} 1\n"))
        #expect(text.contains("db_client_connection_state=\"used\"} 1\n"))
    }

    @Test func sumsNeverDecrease() {
        let metrics = AgentMetrics()
        var status = status
        _ = metrics.text(of: status)
        // The rounded mean multiplied by the count is smaller than before.
        status.acquire = LatencySummary(count: 2_001, mean: 1_499, max: 9_000_000)
        #expect(metrics.text(of: status).contains(".readers\"} 0.003\n"))
    }

    @Test func linesHaveTheFormatOfPrometheus() throws {
        let pool = try TestAgent()
        try pool.pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        _ = try pool.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
        let text = AgentMetrics().text(of: pool.pool.status())
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(
                try /[a-z_]+\{([a-z_]+="[^"]*",?)+\} [0-9.e-]+/.wholeMatch(in: line) != nil,
                "\(line)"
            )
        }
        #expect(Set(AgentMetric.all.map(\.name)).count == AgentMetric.all.count)
    }

    /// `docs/Protocol.md` contains a row for each metric.
    @Test func documentationListsTheMetrics() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/Protocol.md"),
            encoding: .utf8
        )
        let rows = AgentMetric.all.map { "| `\($0.name)` | \($0.type.rawValue) | \($0.help) |" }
        #expect(page.contains(rows.joined(separator: "\n") + "\n\n"), "\(rows)")
    }
}
