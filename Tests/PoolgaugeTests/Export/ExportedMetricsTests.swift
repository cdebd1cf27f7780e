import Foundation
import MetricDescriptors
import PoolgaugeAgent
import SQLiteEngine
import Telemetry
import Testing

@testable import poolgauge

/// Tests that the reference contains all exported metrics.
struct ExportedMetricsTests {
    /// The table is the output of `poolgauge export --list-metrics`.
    @Test func theReferenceIsCurrent() throws {
        let page = try Documentation.text(of: "docs/Exporting.md")
        #expect(page.hasSuffix(ExportedMetrics.markdown), "generate it again: docs/draw reference")
    }

    @Test func sourcesDeclareEachMetricIdentically() {
        func rows<Source>(_ metrics: [Metric<Source>]) -> [String: [String]] {
            let rows = metrics.map { ($0.name, [$0.type.rawValue, $0.help] + $0.labels) }
            #expect(Set(rows.map(\.0)).count == rows.count)
            return Dictionary(rows) { first, _ in first }
        }
        let sources = [
            rows([AgentMetricsSource.up]), rows(DatabaseMetric.all), rows(WatchMetric.all),
            rows(LoadMetric.all),
        ]
        for source in sources {
            for (name, row) in source {
                for other in sources { #expect(other[name] ?? row == row, "\(name)") }
            }
        }
        #expect(ExportedMetrics.rows.count > 40)
    }

    @Test func valuesHaveTheDeclaredLabels() {
        var client = ClientStatus(name: "list", activity: "read", targetRate: 5)
        client.counts.errors = ["SQLITE_BUSY": 2]
        client.responseBuckets = LatencyBuckets(sum: 1, counts: [1])
        var sample = Sample(
            sequence: 0,
            time: 1,
            scenario: "inbox",
            arm: "pool",
            database: DatabaseStatus(label: "pool", kind: .pool),
            clients: [client]
        )
        sample.isMeasured = true
        for metric in LoadMetric.all {
            let values = metric.values(sample)
            #expect(!values.isEmpty, "\(metric.name)")
            #expect(values.allSatisfy { $0.labels.count == metric.labels.count }, "\(metric.name)")
        }
    }

    /// The metrics of a run have the label of its arm.
    ///
    /// The metrics of the run's database appear once the database is open.
    @Test func aRunExportsItsLatestSample() {
        let metrics = RunMetrics()
        #expect(metrics.text() == "")
        var sample = Sample(
            sequence: 0,
            time: 0,
            scenario: "inbox",
            arm: "a\"b",
            state: .preparing,
            database: DatabaseStatus(label: "x", kind: .pool)
        )
        metrics.receive(sample)
        #expect(metrics.text().contains("poolgauge_run_seconds{arm=\"a\\\"b\",scenario=\"inbox\","))
        #expect(!metrics.text().contains("db_client"))
        sample.state = .running
        sample.database.takenAtNanoseconds = 1
        sample.clients = [ClientStatus(name: "list", activity: "read")]
        sample.clients[0].counts.completed = 7
        metrics.receive(sample)
        let text = metrics.text()
        #expect(text.contains("{arm=\"a\\\"b\",client=\"list\"} 7\n"))
        #expect(text.contains("db_client_connection_max{arm=\"a\\\"b\",db_client_"))
        // An unknown histogram is absent.
        #expect(!text.contains("response_time"))
    }

    /// Counts may decrease at the start of a new measurement or arm, but not within a measurement.
    @Test func countsRestartWithANewMeasurement() {
        let metrics = RunMetrics()
        var sample = Sample(
            sequence: 0,
            time: 0,
            scenario: "inbox",
            arm: "pool",
            database: DatabaseStatus(label: "x", kind: .queue, takenAtNanoseconds: 1)
        )
        func count(_ count: UInt64, measured: Bool) -> Bool {
            var summary = LatencySummary(count: count, mean: 1, max: 1)
            summary.buckets = LatencyBuckets(sum: count, counts: [count])
            sample.database.acquire = summary
            sample.isMeasured = measured
            metrics.receive(sample)
            return metrics.text().contains("wait_time_seconds_bucket")
                && metrics.text().contains("le=\"1e-06\"} \(count)\n")
        }
        #expect(count(100, measured: false))
        #expect(count(90, measured: true))
        // A decrease within the measurement is not exported.
        #expect(!count(89, measured: true))
    }

    @Test func anAgentThatDoesNotAnswerIsNotUp() throws {
        let metrics = AgentMetricsSource(name: "app")
        #expect(metrics.text().contains("sqlite_up{database=\"app\"} 0\n"))
        let database = DatabaseStatus(label: "orders", kind: .queue)
        let status = AgentStatus(
            name: "app",
            process: 1,
            ageNanoseconds: 5,
            allowsControl: false,
            database: database
        )
        metrics.receive(status)
        #expect(metrics.text().contains("sqlite_up{database=\"orders\"} 1\n"))
        #expect(metrics.text().contains("sqlite_snapshots_total{database=\"orders\"} 0\n"))
        metrics.receive(nil)
        #expect(metrics.text().contains("sqlite_up{database=\"orders\"} 0\n"))
        #expect(!metrics.text().contains("sqlite_snapshots_total"))
    }
}
