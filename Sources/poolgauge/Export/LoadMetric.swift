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
        type: MetricType,
        help: String,
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
        help: String,
        _ value: @escaping @Sendable (AccessCounts) -> UInt64
    ) -> Metric<Sample> {
        perClient("poolgauge_client_\(name)_total", type: .counter, help: help) {
            Double(value($0.counts))
        }
    }

    private static let counts = [
        perClient("poolgauge_client_workers", type: .gauge, help: "The number of workers.") {
            Double($0.workers)
        },
        perClient(
            "poolgauge_client_target_rate",
            type: .gauge,
            help: "The requested arrival rate, in accesses per second."
        ) { $0.targetRate },
        count("offered", help: "The number of measured accesses that the load requested.") {
            $0.offered
        },
        count("started", help: "The number of measured accesses that started.") { $0.started },
        count("completed", help: "The number of measured accesses that succeeded.") {
            $0.completed
        },
        count(
            "skipped",
            help: "The number of measured accesses that were skipped because they were too late."
        ) {
            $0.skipped
        },
        count(
            "late",
            help: "The number of measured accesses that started more than a millisecond late."
        ) {
            $0.late
        },
        count("retried", help: "The number of retries after SQLITE_BUSY.") { $0.retried },
        count("interrupted", help: "The number of measured accesses that were interrupted.") {
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

/// The metrics of an agent's latest status.
final class AgentMetricsSource: Sendable {
    private struct State {
        var status: AgentStatus?
        var isUp = false
    }

    /// The database's label, and whether the last request succeeded.
    struct Answer {
        var label: String
        var isUp: Bool
    }

    /// The metric for the outcome of requests to the agent.
    static let up = Metric<Answer>(.up, labels: ["database"]) { answer in
        [MetricValue([answer.label], .single(answer.isUp ? 1 : 0))]
    }

    private let name: String
    private let state = Lock(State())
    private let writer = MetricText()

    /// Creates a source without a status.
    ///
    /// `name` identifies the agent until its first response.
    init(name: String) { self.name = name }

    /// Replaces the status, or records that the agent did not respond.
    func receive(_ status: AgentStatus?) {
        state.withLock { state in
            state.isUp = status != nil
            guard let status else { return }
            if let last = state.status,
                last.process != status.process || last.ageNanoseconds > status.ageNanoseconds
            {
                writer.discardStoredValues()
            }
            state.status = status
        }
    }

    /// Returns the metrics in Prometheus's text format.
    func text() -> String {
        let state = state.withLock { $0 }
        let answer = Answer(label: state.status?.database.label ?? name, isUp: state.isUp)
        let reportedDatabases = state.isUp ? state.status.map { [$0.database] } ?? [] : []
        return writer.text([Self.up], of: [answer])
            + writer.text(DatabaseMetric.all, of: reportedDatabases)
    }
}

/// The metrics of the latest sample of a run.
///
/// The run stores only a reference to the sample. The server's thread creates the text.
final class RunMetrics: Sendable {
    private struct State {
        var sample: Sample?
        var wasMeasured = false
        var mustRestart = false
    }

    private let state = Lock(State())
    private let database = MetricText()
    private let load = MetricText()

    /// Replaces the sample.
    func receive(_ sample: Sample) {
        state.withLock { state in
            let isMeasured = sample.isMeasured == true
            // The database's times restart with each arm and at the start of the measurement.
            if state.sample?.arm != sample.arm || isMeasured != state.wasMeasured {
                state.mustRestart = true
            }
            state.wasMeasured = isMeasured
            state.sample = sample
        }
    }

    /// Returns the metrics in Prometheus's text format, or an empty string before the first sample.
    func text() -> String {
        let (sample, mustRestart) = state.withLock { state in
            defer { state.mustRestart = false }
            return (state.sample, state.mustRestart)
        }
        guard let sample else { return "" }
        if mustRestart {
            database.discardStoredValues()
            load.discardStoredValues()
        }
        let arm = [(name: "arm", value: sample.arm)]
        // A status without a time describes a database that is not open or that does not report its
        // status.
        let isKnown = sample.state != .preparing && sample.database.takenAtNanoseconds > 0
        return database.text(DatabaseMetric.all, of: isKnown ? [sample.database] : [], labels: arm)
            + load.text(LoadMetric.all, of: [sample], labels: arm)
    }
}

/// The reference for all exported metrics, generated from their descriptors.
enum ExportedMetrics {
    /// A metric and the commands that export it.
    struct Row: Equatable {
        var name: String
        var type: String
        var help: String
        var labels: [String]
        var sources: [String]
    }

    /// All metrics, without duplicates.
    static let rows: [Row] = {
        var rows: [Row] = []
        func add<Source>(_ metrics: [Metric<Source>], from sources: [String]) {
            for metric in metrics {
                if let index = rows.firstIndex(where: { $0.name == metric.name }) {
                    rows[index].sources += sources
                } else {
                    rows.append(
                        Row(
                            name: metric.name,
                            type: metric.type.rawValue,
                            help: metric.help,
                            labels: metric.labels,
                            sources: sources
                        )
                    )
                }
            }
        }
        add([AgentMetricsSource.up], from: ["attach"])
        add(DatabaseMetric.all, from: ["attach", "run"])
        add(WatchMetric.all, from: ["top"])
        add(LoadMetric.all, from: ["run"])
        return rows
    }()

    /// The reference as a table in Markdown.
    static let markdown: String = {
        let lines = rows.map { row in
            let labels = row.labels.map { "`\($0)`" }.joined(separator: ", ")
            let sources = row.sources.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(row.name)` | \(row.type) | \(labels) | \(sources) | \(row.help) |"
        }
        let header = ["| metric | type | labels | source | description |", "|---|---|---|---|---|"]
        return (header + lines).joined(separator: "\n") + "\n"
    }()
}

/// A client that requests the status of an agent, even after its program has restarted.
final class AgentRequests: Sendable {
    private let directory: AgentDirectory
    private let address: AgentAddress
    private let path: Lock<String>

    /// Finds an agent.
    ///
    /// - Throws: An error with a remedy if there is no such agent, or if there are several.
    init(_ address: AgentAddress, in directory: AgentDirectory) throws {
        self.directory = directory
        self.address = address
        path = Lock(try directory.find(address).path)
    }

    /// Requests the status, or returns `nil` if the agent does not respond.
    func status() -> AgentStatus? {
        let lastPath = path.withLock { $0 }
        if let status = try? AgentReader(path: lastPath).status() { return status }
        guard let found = try? directory.find(address), found.path != lastPath,
            let status = try? AgentReader(path: found.path).status()
        else { return nil }
        path.withLock { $0 = found.path }
        return status
    }
}
