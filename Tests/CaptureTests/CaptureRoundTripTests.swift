import Capture
import EngineTarget
import Foundation
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

/// Logs the statements of a load, captures them, and runs the captured scenario.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct CaptureRoundTripTests {
    private static let original = """
        version: 1
        name: original
        dataset:
          schema:
            - CREATE TABLE accounts (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, balance INTEGER NOT NULL)
            - CREATE TABLE history (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, delta INTEGER NOT NULL)
          rows:
            accounts:
              count: 2000
              columns:
                id: sequence
                mail: {distribution: sequential, min: 1, prefix: mail-}
                balance: {distribution: uniform, min: 100, max: 900}
        arms: {raw: {library: raw, journal: wal, synchronous: "off"}}
        phases: [{name: steady, duration: 4s}]
        variables:
          id: {distribution: zipfian, theta: 0.99, range: accounts_id}
          account: {distribution: uniform, range: accounts_id}
          entry: {distribution: sequential, min: 1}
          delta: {distribution: choice, values: [1, 5, 10], weights: [5, 3, 2]}
        clients:
          reader:
            access: read
            workers: 2
            arrival: {rate: 120/s}
            mix:
              - {name: balance, weight: 3, sql: SELECT balance FROM accounts WHERE id = :id}
              - {name: page, weight: 1, sql: SELECT id FROM accounts WHERE id >= :account ORDER BY id LIMIT 20}
          payer:
            access: write
            workers: 2
            think: {mean: 30ms}
            sql:
              - SELECT balance FROM accounts WHERE id = :account
              - {pause: 3ms}
              - UPDATE accounts SET balance = balance + :delta WHERE id = :account
              - repeat: 3
                do: "INSERT INTO history VALUES (:entry, :account, :delta)"
        """

    private func run(
        _ scenario: Scenario,
        _ arm: Arm,
        factory: any WorkloadTargetFactory,
        keeping folder: URL? = nil
    ) async throws -> ArmResult {
        var options = RunOptions()
        options.keepsFolder = folder != nil
        if let folder {
            options.folder = folder
        }
        let run = WorkloadRun(scenario: scenario, arm: arm, factory: factory, options: options)
        return try await run.run()
    }

    private static let schema = CaptureSchema([
        .init(
            name: "accounts",
            columns: [
                .init(name: "id", type: "INTEGER", isRowID: true, isUnique: true, range: 1...2000),
                .init(name: "mail", type: "TEXT", isUnique: true),
                .init(name: "balance", type: "INTEGER"),
            ]
        ),
        .init(
            name: "history",
            columns: [
                .init(name: "id", type: "INTEGER", isRowID: true, isUnique: true, range: 1...1000),
                .init(name: "account", type: "INTEGER", range: 1...2000),
                .init(name: "delta", type: "INTEGER"),
            ]
        ),
    ])

    @Test(arguments: [false, true])
    func theCapturedScenarioReproducesTheRates(showsValues: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = try Scenario.parse(yaml: Self.original, file: "original.yaml")
        let log = ExecutionLog()
        _ = try await run(
            original,
            original.arms[0],
            factory: LoggingFactory(log: log),
            keeping: folder
        )
        let kept = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .first { $0.hasPrefix("poolgauge-") && !$0.hasPrefix("poolgauge-data") }
        )
        var options = CaptureOptions(
            database: folder.appendingPathComponent(kept).path + "/database.sqlite",
            journal: "wal"
        )
        options.showsValues = showsValues
        let captured = try CapturedScenario(
            try CaptureAnalysis(log.executions, schema: Self.schema),
            schema: Self.schema,
            options: options
        )
        var scenario = try Scenario.parse(yaml: captured.yaml, file: "captured.yaml")
        scenario = try scenario.scaled(toMeasured: .seconds(4))
        var present = scenario.arms[0]
        present.synchronous = "off"
        let result = try await run(scenario, present, factory: EngineTargetFactory())
        let report = FidelityReport(captured, result)
        #expect(result.clients.values.map(\.errorCount) == result.clients.values.map { _ in 0 })
        #expect(report.rows.count == 3, "\(captured.yaml)")
        for row in report.rows {
            // The rates are at least 30/s. In four seconds of Poisson arrivals, three standard
            // deviations are at most about 27%.
            let ratio = row.rate.replayed / row.rate.captured
            #expect(ratio > 0.65 && ratio < 1.5, "\(row.name): \(report.lines)")
        }
        // Each of two workers holds the writer for 3 ms of every 33 ms, or longer on a busy
        // machine. Together, they hold it for at least 15% of the time.
        #expect(report.writeShare.captured > 0.1, "\(report.lines)")
        #expect(report.writeShare.replayed > 0.1, "\(report.lines)")
        #expect(captured.yaml.contains("{pause: "))
        #expect(captured.yaml.contains("repeat: 3"))
        #expect(captured.yaml.contains("choice, values: [") == showsValues)
    }
}
