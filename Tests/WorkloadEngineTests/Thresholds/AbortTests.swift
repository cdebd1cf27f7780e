import Foundation
import Reports
import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests thresholds that end a run early.
@Suite(.timeLimit(.minutes(5)))
struct AbortTests {
    /// Returns a target on which accesses take 10 ms, and 200 ms from second 4 of the load.
    private func target() -> FakeTarget {
        let clock = SimulatedClock()
        let start = clock.now()
        return FakeTarget(
            clock: clock,
            .init(service: { milliseconds($0.time < start + milliseconds(4_000) ? 10 : 200) })
        )
    }

    private func threshold(
        _ metric: String,
        expression: String,
        abortAfter: Duration? = .zero
    ) throws -> Threshold {
        var threshold = try Threshold(
            metric: metric,
            expression: expression,
            in: MetricCatalog(clients: ["reads"])
        )
        threshold.abortDelay = abortAfter
        return threshold
    }

    private func run(
        _ thresholds: [Threshold],
        warmUp: Duration = .zero,
        workers: Int = 4
    ) async throws -> ArmResult {
        var scenario = Scenario.test(
            [.reader("reads", workers: workers)],
            warmUp: warmUp,
            measured: .seconds(30)
        )
        scenario.thresholds = thresholds
        return try await WorkloadRun.simulated(scenario, on: target()).run()
    }

    @Test func aMissedThresholdEndsTheRun() async throws {
        let result = try await run([
            try threshold("reads.response", expression: "p(90) < 1s"),
            try threshold("reads.response", expression: "max < 50ms"),
        ])
        // The first slow accesses end at 4.2 s. The next check is at 5 s.
        let aborted = try #require(result.aborted)
        #expect(aborted.seconds == 5)
        #expect(aborted.metric == "reads.response")
        #expect(aborted.observed == 200e6 || abs((aborted.observed ?? 0) / 200e6 - 1) < 0.01)
        #expect(aborted.sentence.hasPrefix("aborted after 5.00 s: max of reads.response was 20"))
        #expect(aborted.sentence.hasSuffix(", limit 50ms"))
        #expect(result.partial)
        #expect(result.duration == 5)
        #expect(result.clients["reads"]?.isBalanced == true)
        #expect(result.thresholds.map(\.passed) == [true, false])
        #expect(result.exitStatus == .thresholdMissed)
        let line = TextReport.verdict(of: result, scenario: "mine")
        #expect(line.hasPrefix("ABORTED, THRESHOLD MISSED  mine on arm: "))
        #expect(line.contains("(aborted after 5.00 s: max of reads.response was 20"))
        let json = try JSONReport.text(of: result)
        #expect(json.contains("\"aborted\" : {"))
    }

    /// Accesses that end after the check may bring the value back within its limit.
    @Test func theThresholdRemainsMissed() {
        var result = ResultFixture.run
        result.markMissed(
            by: AbortResult(
                seconds: 7,
                metric: "ui.response",
                expression: "p(99) < 50ms",
                observed: 120e6,
                reason: ""
            )
        )
        #expect(result.thresholds.map(\.passed) == [false])
        #expect(result.thresholds.map(\.observed) == [120e6])
    }

    @Test func theDelayExcludesTheWarmUp() async throws {
        let result = try await run(
            [try threshold("reads.response", expression: "max < 50ms", abortAfter: .seconds(7))],
            warmUp: .seconds(2)
        )
        #expect(result.aborted?.seconds == 7)
        #expect(result.intervals.last?.time ?? 0 >= 9)
    }

    @Test func onlyMissedThresholdsWithAbortEndARun() async throws {
        let result = try await run([
            try threshold("reads.response", expression: "max < 1s"),
            try threshold("reads.response", expression: "max < 50ms", abortAfter: nil),
        ])
        #expect(result.aborted == nil)
        #expect(!result.partial)
        #expect(result.duration == 30)
        #expect(result.exitStatus == .thresholdMissed)
    }

    @Test func aPercentileWithTooFewSamplesDoesNotEndARun() throws {
        let limit = try threshold("reads.response", expression: "p(99) < 50ms")
        let watch = try #require(AbortWatch([limit]))
        var result = ResultFixture.run
        result.clients["reads"] = ResultFixture.reader
        result.clients["reads"]?.response = LatencySummary(
            count: 900,
            mean: 12_000_000,
            p95: 10_000_000,
            max: 200_000_000
        )
        #expect(watch.firstMiss(in: result) == nil)
        result.clients["reads"]?.response?.p99 = 120_000_000
        #expect(
            watch.firstMiss(in: result)?.sentence
                == "aborted after 30.0 s: p(99) of reads.response was 120 ms, limit 50ms"
        )
    }

    @Test func aLowerPercentileCanDecide() async throws {
        let result = try await run(
            [try threshold("reads.response", expression: "p(99.9) < 5ms")],
            workers: 1
        )
        // About a hundred accesses are enough for lower percentiles, which already exceed the
        // limit.
        #expect(result.aborted?.seconds == 1)
        #expect(result.aborted?.observed == nil)
        #expect(
            result.aborted?.reason.hasPrefix(
                "p(99.9) of reads.response exceeds its limit 5ms, because p("
            ) == true
        )
    }

    @Test func aShareNeedsTenAccessesBeyondItsLimit() throws {
        let watch = try #require(
            AbortWatch([try threshold("reads.errors", expression: "rate < 1%")])
        )
        var result = ResultFixture.run
        result.clients["reads"] = ResultFixture.reader
        result.clients["reads"]?.offered = 100
        result.clients["reads"]?.errors = ["SQLITE_BUSY": 9]
        #expect(watch.firstMiss(in: result) == nil)
        result.clients["reads"]?.errors = ["SQLITE_BUSY": 10]
        let reason = watch.firstMiss(in: result)?.reason
        #expect(reason?.hasPrefix("rate of reads.errors was 10") == true)
    }

    @Test func runningAccessesAreNotCountedUntilTheyEnd() async throws {
        // Each access takes 200 ms after second 4, so four accesses are always running.
        let result = try await run([try threshold("reads.completed", expression: "rate >= 1")])
        #expect(result.aborted == nil)
    }

    @Test func blocksOfAComparisonIgnoreAborts() async throws {
        var scenario = Scenario.test([.reader("reads")], measured: .seconds(30))
        scenario.thresholds = [try threshold("reads.response", expression: "max < 5ms")]
        var options = RunOptions()
        let target = target()
        options.clock = target.clock
        options.endsAtMissedThresholds = false
        let result = try await WorkloadRun(
            scenario: scenario,
            arm: scenario.arms[0],
            factory: FakeFactory(target: target),
            options: options
        ).run()
        #expect(result.aborted == nil)
        #expect(result.duration == 30)
    }
}
