import MetricDescriptors
import PoolgaugeAgent
import Telemetry

/// The metrics of a run and its clients.
enum LoadMetric {
    /// All metrics, in output order.
    static let all = run + counts + times

    private static let run: [Metric<Sample>] = [
        Metric(
            "poolgauge_run_seconds",
            .gauge,
            "The time since the start of the arm, including phases that are not measured.",
            labels: ["scenario", "phase"]
        ) { [MetricValue([$0.scenario, $0.phase], .single($0.time))] },
        Metric(
            "poolgauge_run_measured",
            .gauge,
            "1 if the run's result includes the current accesses; otherwise, 0.",
            labels: ["scenario"]
        ) { sample in
            sample.isMeasured.map { [MetricValue([sample.scenario], .single($0 ? 1 : 0))] } ?? []
        },
    ]

    private static func perClient(
        _ name: String,
        _ type: MetricType,
        _ help: String,
        _ value: @escaping @Sendable (ClientStatus) -> Double?
    ) -> Metric<Sample> {
        Metric(name, type, help, labels: ["client"]) { sample in
            sample.clients.compactMap { client in
                value(client).map { MetricValue([client.name], .single($0)) }
            }
        }
    }

    private static func count(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (AccessCounts) -> UInt64
    ) -> Metric<Sample> {
        perClient("poolgauge_client_\(name)_total", .counter, help) { Double(value($0.counts)) }
    }

    private static let counts = [
        perClient("poolgauge_client_workers", .gauge, "The number of workers.") {
            Double($0.workers)
        },
        perClient(
            "poolgauge_client_target_rate",
            .gauge,
            "The requested arrival rate, in accesses per second."
        ) { $0.targetRate },
        count("offered", "The number of measured accesses that the load requested.") { $0.offered },
        count("started", "The number of measured accesses that started.") { $0.started },
        count("completed", "The number of measured accesses that succeeded.") { $0.completed },
        count(
            "skipped",
            "The number of measured accesses that were skipped because they were too late."
        ) {
            $0.skipped
        },
        count("late", "The number of measured accesses that started more than a millisecond late.")
        {
            $0.late
        },
        count("retried", "The number of retries after SQLITE_BUSY.") { $0.retried },
        count("interrupted", "The number of measured accesses that were interrupted.") {
            $0.interrupted
        },
        Metric(
            "poolgauge_client_errors_total",
            .counter,
            "The number of measured accesses that failed, by result code.",
            labels: ["client", "code"]
        ) { sample in
            sample.clients.flatMap { client in
                client.counts.errors.sorted { $0.key < $1.key }.map { code, count in
                    MetricValue([client.name, code], .single(Double(count)))
                }
            }
        },
    ]

    private static let times: [Metric<Sample>] = [
        Metric(
            "poolgauge_client_response_time_seconds",
            .histogram,
            "The time from the intended start to the end of each completed access.",
            labels: ["client"]
        ) { sample in
            sample.clients.compactMap { client in
                client.responseBuckets.map { buckets in
                    var summary = LatencySummary(count: 0, mean: 0, max: 0)
                    summary.buckets = buckets
                    return MetricValue([client.name], .latency(summary))
                }
            }
        }
    ]
}
