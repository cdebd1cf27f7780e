import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import Findings
@testable import Recording
@testable import SQLiteWatch
@testable import poolgauge

/// Tests the executions that a recording of `top --sql` contains.
struct RecordedExecutionsTests {
    /// Returns a report after a number of seconds of tracing, with the number of calls of each
    /// statement.
    private func report(
        _ seconds: Double,
        _ calls: [String: UInt64],
        path: String = "/tmp/app.sqlite",
        pids: [Int32] = [7]
    ) -> WatchReport {
        var report = WatchReport(
            time: WatchTime(milliseconds: Int64(1_000_000 + seconds * 1000)),
            window: WatchWindow(
                seconds: 1,
                samples: 1,
                samplesPerSecond: 1,
                listSamples: 1,
                processorShare: 0
            ),
            file: WatchedFile(path: path, state: .present),
            processes: [],
            pins: [],
            tables: [],
            episodes: [],
            verdict: Finding(.nothing, ""),
            findings: [],
            notes: []
        )
        var tracing = WatchedTracing(level: "light")
        tracing.seconds = seconds
        report.tracing = tracing
        report.statements = calls.sorted { $0.key < $1.key }.map { sql, calls in
            var statement = WatchedStatement(sql: sql)
            statement.calls = calls
            statement.rows = Double(calls) * 3
            statement.pids = pids
            return statement
        }
        return report
    }

    @Test func aRecordingBecomesAScenario() throws {
        try withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INTEGER PRIMARY KEY, a);
                        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
                        """
                )
            }
            try queue.close()
            let recorder = try FlightRecorder(
                path: folder.appendingPathComponent("a.rec").path,
                limits: RecordingLimits(),
                info: RecordingInfo(kind: .watch, tool: "", title: ""),
                mask: { $0 }
            )
            for second in 1...4 {
                let calls = ["SELECT a FROM t WHERE id = ?": 200, "UPDATE t SET a = a + ?": 20]
                let counts = calls.mapValues { UInt64($0 * second) }
                recorder.record(.watch(report(Double(second), counts, path: path)))
            }
            recorder.end(reason: "")
            let outcome = try HeadlessProgram.run(
                ["capture", "--from", "a.rec", "app.sqlite", "--output", "a.yaml", "--no-check"],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome)")
            let scenario = try String(
                contentsOf: folder.appendingPathComponent("a.yaml"),
                encoding: .utf8
            )
            #expect(scenario.contains("does not contain the order or times"), "\(scenario)")
            #expect(scenario.contains(/rate: (19|20)\d/), "\(scenario)")
            #expect(scenario.contains(/rate: (19|20|21)(\.\d+)?\/s/), "\(scenario)")
            #expect(!scenario.contains("process: even"), "\(scenario)")
        }
    }

    @Test func executionsAreSpreadOverTheirIntervals() {
        let select = "SELECT * FROM t WHERE a = ?"
        let recorded = RecordedExecutions([
            report(1, [select: 10]), report(2, [select: 30]), report(3, [select: 30]),
        ])
        #expect(recorded.executions.count == 30)
        #expect(recorded.executions.filter { $0.end < 1001 }.count == 10)
        #expect(recorded.executions.filter { (1001..<1002).contains($0.end) }.count == 20)
        #expect(recorded.executions.allSatisfy { $0.rows == 3 && $0.process == 7 })
        #expect(recorded.executions.allSatisfy { $0.seconds == nil && $0.autocommit == true })
        #expect(recorded.notes.contains { $0.contains("at the recorded rates") })
    }

    @Test func executionsAreDividedBetweenThePrograms() {
        let recorded = RecordedExecutions([report(1, ["SELECT 1": 10], pids: [7, 8])])
        #expect(recorded.executions.count { $0.process == 7 } == 5)
        #expect(recorded.executions.count { $0.process == 8 } == 5)
    }

    @Test func transactionsAreMentionedAndOmitted() {
        let recorded = RecordedExecutions([
            report(1, ["BEGIN IMMEDIATE": 4, "COMMIT": 4, "INSERT INTO t VALUES (?)": 8])
        ])
        #expect(Set(recorded.executions.map(\.sql)) == ["INSERT INTO t VALUES (?)"])
        #expect(recorded.notes.contains { $0.contains("began 4 transactions") })
    }

    @Test func aNewSessionCountsFromZero() {
        let recorded = RecordedExecutions([
            report(9, ["DELETE FROM t": 90]), report(1, ["DELETE FROM t": 5]),
        ])
        #expect(recorded.executions.count == 95)
    }

    @Test func manyExecutionsAreLimitedToTheNewest() {
        let recorded = RecordedExecutions([
            report(1, ["SELECT 1": 150_000]), report(2, ["SELECT 1": 300_000]),
        ])
        #expect(recorded.executions.count == 150_000)
        #expect(recorded.executions.allSatisfy { $0.end >= 1001 })
        #expect(recorded.notes.contains { $0.contains("only the last 1 s") })
    }
}
