#if os(Linux)
import Foundation
import TestSupport
import Testing
import WorkloadEngine

/// Tests the exported metrics, alerts, and dashboard with Prometheus.
@Suite(
    .enabled(if: PrometheusTools.areInstalled, "requires prometheus and promtool"),
    .serialized,
    .timeLimit(.minutes(5))
)
struct PrometheusTests {
    @Test func alertsPassTheirTests() throws {
        let rules = Documentation.root.appendingPathComponent("docs/alerts.yaml").path
        let check = try PrometheusTools.promtool(["check", "rules", rules])
        #expect(check.status == 0, "\(check.output)")
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("alerts.test.yaml").path
        let result = try PrometheusTools.promtool(["test", "rules", tests])
        #expect(result.status == 0, "\(result.output)")
    }

    private static let scenario = """
        version: 1
        name: exported
        dataset:
          schema: CREATE TABLE mail (id INTEGER PRIMARY KEY, folder INTEGER)
          rows:
            mail:
              count: 2000
              columns:
                id: sequence
                folder: {distribution: uniform, min: 0, max: 19}
        arms:
          pool: {type: pool, readers: 2}
        phases:
          - {name: warm-up, duration: 1s, measure: false}
          - {name: steady, duration: 4s}
          - {name: cool-down, duration: 10m, measure: false}
        variables:
          folder: {distribution: uniform, min: 0, max: 19}
          id: {distribution: uniform, range: mail_id}
        clients:
          list: {access: read, workers: 2, arrival: {rate: 50/s}, sql: SELECT id FROM mail WHERE folder = :folder}
          sync: {access: write, think: 20ms, sql: UPDATE mail SET folder = folder WHERE id = :id}
        """

    /// Prometheus and the programs that it scrapes.
    private final class Programs {
        let run: RunningProgram
        let agent: RunningProgram
        let fileExporter: RunningProgram
        let prometheus: PrometheusServer
        let ports: [String: UInt16]
        private let fixture: DatabasePoolFixture

        init(in folder: URL) throws {
            let fixture = try DatabasePoolFixture(
                path: folder.appendingPathComponent("app.sqlite").path,
                agents: folder.appendingPathComponent("poolgauge").path
            )
            self.fixture = fixture
            let scenario = folder.appendingPathComponent("exported.yaml")
            try Data(PrometheusTests.scenario.utf8).write(to: scenario)
            func start(_ arguments: [String]) throws -> RunningProgram {
                try RunningProgram(arguments + ["--listen", "127.0.0.1:0"], in: folder)
            }
            run = try start(["run", "exported.yaml", "--format", "json", "--output", "result.json"])
            agent = try start(["export", fixture.agent.socketPath])
            fileExporter = try start(["export", "app.sqlite"])
            let ports = [
                "run": try run.metricsPort(), "agent": try agent.metricsPort(),
                "file": try fileExporter.metricsPort(),
            ]
            self.ports = ports
            prometheus = try PrometheusServer(jobs: ports, in: folder)
            fixture.startWork()
        }

        /// Ends the load on the pool.
        func end() { fixture.endWork() }

        /// Returns the only value of an expression.
        func value(_ expression: String) throws -> Double {
            let result = try prometheus.query(expression)
            guard result.count == 1 else {
                throw TimedOut(description: "\(expression): \(result.count) values")
            }
            return result[0].value
        }
    }

    @Test func prometheusAgreesWithTheRun() throws {
        var template = Array("/tmp/pgt-XXXXXX".utf8CString)
        let path = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = URL(fileURLWithPath: path)
        let programs = try Programs(in: folder)
        defer { programs.end() }

        // Waits until a scrape contains all measurements, which are collected once per second.
        _ = try eventually("the measured phase ends") {
            let query = "poolgauge_run_seconds{phase=\"cool-down\"} > 7.5"
            return try programs.prometheus.query(query).first
        }
        try checkDashboard(programs.prometheus)
        for (job, port) in programs.ports {
            let text = try HTTPGet.response("/metrics", port: port).body
            let check = try PrometheusTools.promtool(["check", "metrics"], input: text)
            #expect(check.status == 0 && check.output.isEmpty, "\(job): \(check.output)")
        }

        // The result contains the same numbers as Prometheus.
        let exported = try exportedClients(programs)
        #expect(programs.run.interrupt() == 130)
        let data = try Data(contentsOf: folder.appendingPathComponent("result.json"))
        let result = try JSONDecoder().decode(RunResult.self, from: data)
        let clients = try #require(result.runs.first?.clients)
        #expect(Set(clients.keys) == ["list", "sync"])
        for (name, client) in clients {
            let numbers = try #require(exported[name])
            #expect(client.completed > 50)
            #expect(numbers["offered"] == Double(client.offered), "\(name)")
            #expect(numbers["started"] == Double(client.started), "\(name)")
            #expect(numbers["completed"] == Double(client.completed), "\(name)")
            #expect(numbers["skipped"] == Double(client.skipped), "\(name)")
            #expect(numbers["late"] == Double(client.late), "\(name)")
            #expect(numbers["interrupted"] == Double(client.interrupted), "\(name)")
            let response = try #require(client.response)
            #expect(numbers["count"] == Double(response.count), "\(name)")
            let mean = try #require(numbers["mean"])
            #expect(abs(mean * 1e9 - Double(response.mean)) <= 1, "\(name)")
            // The bounds of a bucket differ by a factor of at most 2.5.
            let median = try #require(numbers["median"])
            let expected = Double(try #require(response.p50)) / 1e9
            #expect(median > expected / 2.5 && median < expected * 2.5, "\(name): \(median)")
        }
    }

    /// Returns the values that Prometheus reports for each client.
    private func exportedClients(_ programs: Programs) throws -> [String: [String: Double]] {
        var clients: [String: [String: Double]] = [:]
        for client in ["list", "sync"] {
            let labels = "{arm=\"pool\", client=\"\(client)\"}"
            let times = "poolgauge_client_response_time_seconds"
            for count in ["offered", "started", "completed", "skipped", "late", "interrupted"] {
                clients[client, default: [:]][count] = try programs.value(
                    "poolgauge_client_\(count)_total\(labels)"
                )
            }
            clients[client]?["count"] = try programs.value("\(times)_count\(labels)")
            clients[client]?["mean"] = try programs.value(
                "\(times)_sum\(labels) / \(times)_count\(labels)"
            )
            clients[client]?["median"] = try programs.value(
                "histogram_quantile(0.5, \(times)_bucket\(labels))"
            )
        }
        return clients
    }

    /// Evaluates each query of the dashboard.
    private func checkDashboard(_ prometheus: PrometheusServer) throws {
        let file = Documentation.root.appendingPathComponent("docs/grafana.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let dashboard = try #require(json as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        var count = 0
        for panel in panels {
            for target in panel["targets"] as? [[String: Any]] ?? [] {
                let expression = try #require(target["expr"] as? String)
                    .replacing("$__rate_interval", with: "10s")
                    .replacing("$instance", with: ".+")
                count += 1
                // A rate needs two scrapes. A quantile without recent accesses is not a number.
                _ = try eventually("data for \(expression)") {
                    try prometheus.query(expression).first
                }
            }
        }
        #expect(count > 20)
    }
}
#endif
