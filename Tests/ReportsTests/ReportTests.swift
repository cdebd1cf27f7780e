import Foundation
import Scenarios
import Testing
import Text

@testable import LoadTestSupport
@testable import Reports
@testable import WorkloadEngine

struct ReportTests {
    /// Compares text with a golden file.
    ///
    /// `POOLGAUGE_RECORD=1` overwrites the file.
    private func expectGolden(_ text: String, _ name: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden").appendingPathComponent(name)
        if ProcessInfo.processInfo.environment["POOLGAUGE_RECORD"] != nil {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        #expect(text == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test func jsonMatchesTheGoldenFile() throws {
        try expectGolden(try JSONReport.text(of: ResultFixture.result), "run.json")
    }

    @Test func jsonIsReadBackUnchanged() throws {
        let text = try JSONReport.text(of: ResultFixture.result)
        let decoded = try JSONDecoder().decode(RunResult.self, from: Data(text.utf8))
        #expect(decoded == ResultFixture.result)
    }

    @Test func unmeasuredValuesAreAbsent() throws {
        var result = ResultFixture.result
        result.runs[0].pool = nil
        result.runs[0].wal = nil
        result.runs[0].clients["ui"]?.lag = nil
        result.runs[0].clients["ui"]?.response?.p999 = nil
        let text = try JSONReport.text(of: result)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let root = try #require(object as? [String: Any])
        let run = try #require((root["runs"] as? [[String: Any]])?.first)
        #expect(run["pool"] == nil)
        #expect(run["wal"] == nil)
        let ui = try #require((run["clients"] as? [String: [String: Any]])?["ui"])
        #expect(ui["lag"] == nil)
        let response = try #require(ui["response"] as? [String: Any])
        #expect(response["p99.9"] == nil)
        #expect(response["p99"] as? Int == 9_990_000)
    }

    @Test func peaksOfSamplesAreMarked() throws {
        var result = ResultFixture.result
        result.runs[0].pool?.peaksAreSampled = true
        let text = TextReport.text(of: result)
        #expect(text.contains("peak waiters in a sample: 6 reads, 1 write"))
        let page = try HTMLReport.text(of: result)
        let peaks = "at most 6 accesses that waited to read, and 1 to write."
        #expect(page.contains("Ten samples per second showed \(peaks)"))
        #expect(!page.contains("At most 6 accesses waited"))
    }

    @Test func textMatchesTheGoldenFile() throws {
        try expectGolden(TextReport.text(of: ResultFixture.result), "run.txt")
    }

    @Test func everyFormatContainsVersionsAndSettings() throws {
        let run = ResultFixture.result
        let comparison = ResultFixture.comparison(pairs: [], primary: [], noiseFloor: [:])
        let texts = [
            TextReport.text(of: run), try JSONReport.text(of: run), CSVReport.text(of: run),
            MarkdownReport.text(of: run), try HTMLReport.text(of: run),
            JUnitReport.text(of: run), ComparisonReport.text(of: comparison),
            ComparisonReport.markdown(of: comparison), ComparisonCSV.text(of: comparison),
            JUnitReport.text(of: comparison),
        ]
        for text in texts {
            let plain = text.replacing("\\", with: "")
            #expect(plain.contains("3.40.1"), "\(text)")
            #expect(plain.contains("journal_mode"), "\(text)")
            #expect(plain.contains("wal"), "\(text)")
            #expect(plain.contains("synchronous"), "\(text)")
            #expect(plain.contains("normal"), "\(text)")
        }
    }

    @Test func theFirstLineIsTheVerdict() {
        var run = ResultFixture.run
        run.valid = false
        run.invalidReason = "idle workers woke late"
        let line = TextReport.verdict(of: run, scenario: "storm")
        #expect(line.hasPrefix("INVALID  storm on pool: 12,345 accesses in 30.0 s"))
        #expect(line.hasSuffix("(idle workers woke late)"))
    }

    @Test func aThresholdWithoutAValueShowsTheReason() throws {
        var result = ResultFixture.result
        result.runs[0].thresholds[0].observed = nil
        result.runs[0].thresholds[0].passed = nil
        result.runs[0].thresholds[0].undecided = true
        result.runs[0].clients["ui"]?.response?.p99 = nil
        let count = HumanUnits.exact(
            try #require(result.runs[0].clients["ui"]?.response?.count)
        )
        let text = TextReport.text(of: result)
        #expect(text.contains("p(99) < 50ms: UNDECIDED (too few samples: \(count))"))
        result.runs[0].clients["ui"]?.response = nil
        #expect(TextReport.text(of: result).contains("p(99) < 50ms: UNDECIDED (no samples)"))
    }

    @Test func theMaximumDecidesIfAPercentileHasTooFewSamples() {
        var run = ResultFixture.run
        run.clients["ui"]?.response?.p99 = nil
        func check(_ comparison: String, _ limit: Double) -> ThresholdResult {
            run.check(
                Threshold(
                    metric: "ui.response",
                    expression: "p(99) \(comparison) limit",
                    aggregate: "p(99)",
                    comparison: comparison,
                    limit: limit
                )
            )
        }
        // The maximum in the fixture is 31 ms.
        #expect(check("<", 32e6).passed == true)
        #expect(check("<", 32e6).observed == nil)
        #expect(check("<", 31e6).passed == nil)
        #expect(check("<=", 31e6).passed == true)
        #expect(check(">", 31e6).passed == false)
        // A lower percentile can also decide. The 95th percentile in the fixture is 3 ms.
        #expect(check("<", 3e6).passed == false)
        #expect(check(">", 2e6).passed == true)
        #expect(check("<", 31e6).undecided == true)
        run.clients["ui"]?.response = nil
        #expect(check("<", 32e6).passed == nil)
        #expect(check("<", 32e6).undecided == true)
    }

    @Test func anUndecidedThresholdShowsTheDurationThatDecides() throws {
        var run = ResultFixture.run
        run.clients["ui"]?.response?.count = 300
        run.clients["ui"]?.response?.p95 = nil
        run.clients["ui"]?.response?.p99 = nil
        run.clients["ui"]?.response?.max = 60_000_000
        let threshold = Threshold(
            metric: "ui.response",
            expression: "p(99) < 50ms",
            aggregate: "p(99)",
            comparison: "<",
            limit: 50e6
        )
        // At 300 samples per 30 s, 1,000 samples take 100 s. The suggested duration includes a
        // margin of 10%.
        #expect(run.check(threshold).decidingSeconds == 110)
        run.thresholds = [run.check(threshold)]
        #expect(run.exitStatus == .undecided)
        #expect(ExitStatus.undecided.rawValue == 6)
        var result = ResultFixture.result
        result.runs = [ResultFixture.run, run]
        #expect(result.exitStatus == .undecided)
        let line =
            "threshold ui.response p(99) < 50ms: UNDECIDED (too few samples: 300; "
            + "to collect enough samples, use --duration 110s)"
        let text = TextReport.text(of: result)
        #expect(text.contains(line))
        #expect(text.contains("UNDECIDED  test on pool"))
        #expect(MarkdownReport.text(of: result).contains("**UNDECIDED**"))
        #expect(MarkdownReport.text(of: result).contains("UNDECIDED (too few samples: 300"))
        let page = try HTMLReport.text(of: result)
        #expect(page.contains("class=\"verdict lead undecided\""))
        #expect(page.contains("UNDECIDED (too few samples: 300"))
        let json = try JSONReport.text(of: result)
        #expect(json.contains("\"undecided\" : true"))
        #expect(json.contains("\"decidingSeconds\" : 110"))
        // More time does not add samples for actions at fixed times.
        run.clients["ui"]?.loop = .scheduled
        #expect(run.check(threshold).decidingSeconds == nil)
        run.clients["ui"]?.completed = 0
        run.clients["ui"]?.response = nil
        #expect(run.check(threshold).undecided == true)
    }

    @Test func theWorstExitStatusTakesPrecedence() {
        var run = ResultFixture.run
        #expect(run.exitStatus == .passed)
        run.thresholds[0].passed = nil
        run.invariants[0].passed = nil
        #expect(run.exitStatus == .passed)
        run.thresholds[0].passed = false
        #expect(run.exitStatus == .thresholdMissed)
        run.valid = false
        #expect(run.exitStatus == .invalid)
        run.invariants[0].passed = false
        #expect(run.exitStatus == .invariantViolated)
        run.partial = true
        #expect(run.exitStatus == .interrupted)
        #expect(ExitStatus.interrupted.rawValue == 130)
        var result = ResultFixture.result
        result.runs = [ResultFixture.run, run]
        #expect(result.exitStatus == .interrupted)
    }

    @Test func theEnvironmentDescribesTheMachine() {
        let host = HostEnvironment(in: FileManager.default.temporaryDirectory, scenario: .test([]))
        #expect(host.cpuCount > 0)
        #expect(host.syncNanoseconds ?? 0 > 0)
        #expect(!host.operatingSystem.isEmpty)
        #if os(Linux)
        #expect(host.fileSystem != nil)
        #endif
    }

    @Test func eachFormatShowsTheCausesOfBusyErrors() throws {
        let result = ResultFixture.result
        let remedy = "SQLITE_BUSY for import. → Shorten the transactions of import."
        #expect(MarkdownReport.text(of: result).contains(Escaping.markdown(remedy)))
        let page = try HTMLReport.text(of: result)
        #expect(page.contains(remedy))
        #expect(page.contains("2 failures of other kinds are not listed."))
        let lines = CSVReport.text(of: result).split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(lines[0].firstIndex(of: "busy_timeout"))
        #expect(
            lines[0][column...].prefix(5).map(String.init) == [
                "busy_timeout", "busy_snapshot_upgrade", "busy_recovery", "busy_checkpoint",
                "busy_no_timeout",
            ]
        )
        #expect(lines[1][column] == "3" && lines[1][column + 1] == "0")
        #expect(lines.dropFirst(2).allSatisfy { $0[column].isEmpty })
    }

    @Test func csvContainsEveryMetric() throws {
        var result = ResultFixture.result
        let lines = { (result: RunResult) in
            CSVReport.text(of: result).split(separator: "\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
        }
        let header = lines(result)[0]
        for metric in ClientMetrics.values { #expect(header.contains(metric.csvColumn)) }
        let settings = try #require(header.firstIndex(of: "synchronous"))
        #expect(header[settings...].prefix(3) == ["synchronous", "fairness", "longest_wait_ns"])
        let name = lines(result)[1][5]
        result.runs[0].clients[name]?.fairness?.smallestShare = 0.5
        result.runs[0].clients[name]?.fairness?.longestWait = 1_234
        #expect(lines(result)[1][settings...].dropFirst().prefix(2) == ["0.5", "1234"])
        result.runs[0].clients[name]?.offered = 0
        result.runs[0].clients[name]?.fairness = nil
        let row = lines(result)[1]
        #expect(row[try #require(header.firstIndex(of: "late"))] == "0")
        #expect(row[settings...].dropFirst().prefix(2) == ["", ""])
    }

    @Test func aLongListOfCausesIsShortened() throws {
        var result = ResultFixture.result
        let group = try #require(result.runs[0].busy?.groups.first)
        result.runs[0].busy = BusyResult(groups: Array(repeating: group, count: 12), others: 5)
        let text = TextReport.text(of: result)
        #expect(text.contains("and 11 more"))
        #expect(text.components(separatedBy: "SQLITE_BUSY in BEGIN").count == 11)
    }

    @Test func aProblemOfManyBlocksIsReportedOnce() {
        var result = ResultFixture.comparison(pairs: [], primary: [], noiseFloor: [:])
        result.failedRuns = [
            "block 1, queue: the disk is full", "block 1, pool: 'a' never ran",
            "block 2, pool: 'a' never ran", "block 3, pool: 'a' never ran",
        ]
        let lines = ComparisonReport.text(of: result).split(separator: "\n").prefix(2)
        #expect(
            lines == [
                "FAILED  block 1, queue: the disk is full",
                "FAILED  block 1, pool: 'a' never ran (and in 2 other runs)",
            ]
        )
    }

    @Test func aPinThatDidNotGrowTheLogIsReported() {
        let pin = WALResult.Pin(by: "storm", cause: "oldReader", bytes: 0, seconds: 0.1)
        let text = TextReport.sentence(pin)
        #expect(text.hasSuffix("checkpoints could not complete, but the log did not grow"))
    }
}
