import Reports
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import LoadTestSupport

/// Tests that runs without results do not pass.
@Suite(.timeLimit(.minutes(5)))
struct FailureTests {
    private func run(failing percentage: Int, threshold: String? = nil) async throws -> ArmResult {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(
                service: { _ in milliseconds(5) },
                beforeAccess: { if $0.number % 100 < percentage { throw FakeFailure.broken } }
            )
        )
        var scenario = Scenario.test([.reader("ui", pace: .closed(think: .milliseconds(5)))])
        if let threshold {
            scenario.thresholds = [
                try Threshold(
                    metric: "ui.errors",
                    expression: threshold,
                    in: MetricCatalog(clients: ["ui"])
                )
            ]
        }
        return try await WorkloadRun.simulated(scenario, on: target).run()
    }

    @Test func aClientThatFailsTooOftenFailsTheRun() async throws {
        let result = try await run(failing: 20)
        #expect(result.exitStatus == .failed)
        let reason = try #require(result.failures?.first)
        #expect(reason.contains("of the accesses of ui failed"))
        #expect(reason.contains("SQLITE_ERROR"))
        #expect(TextReport.verdict(of: result, scenario: "test").hasPrefix("FAILED"))
    }

    @Test func aRunWithAFewErrorsPassesAndCountsThem() async throws {
        let result = try await run(failing: 3)
        #expect(result.exitStatus == .passed)
        #expect(result.failures == nil)
        #expect(result.clients["ui"]?.errorCount ?? 0 > 0)
    }

    @Test func aThresholdOnErrorsSetsTheLimit() async throws {
        #expect(try await run(failing: 20, threshold: "rate < 0.9").exitStatus == .passed)
        #expect(try await run(failing: 3, threshold: "rate < 0.01").exitStatus == .thresholdMissed)
    }

    @Test func aClientWithoutASuccessFailsTheRun() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(beforeAccess: { if $0.client == "search" { throw FakeFailure.interrupted } })
        )
        let scenario = Scenario.test([
            .reader("ui", pace: .closed(think: .milliseconds(5))),
            .reader("search", pace: .closed(think: .milliseconds(5))),
        ])
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(result.exitStatus == .failed)
        #expect(result.failures?.count == 1)
        let reason = try #require(result.failures?.first)
        #expect(reason.hasPrefix("none of the "))
        #expect(reason.contains(" accesses of search succeeded: "))
        #expect(reason.contains("SQLITE_INTERRUPT"))
    }

    @Test func aPassedErrorThresholdDoesNotExcuseAClientWithoutSuccesses() async throws {
        let result = try await run(failing: 100, threshold: "count < 1000000")
        #expect(result.thresholds.first?.passed == true)
        #expect(result.exitStatus == .failed)
        #expect(result.failures?.first?.contains("accesses of ui succeeded") == true)
        // This threshold explicitly allows every access to fail.
        #expect(try await run(failing: 100, threshold: "rate <= 1").exitStatus == .passed)
    }

    @Test func aFullDiskEndsTheRunAndKeepsTheResult() async throws {
        let clock = SimulatedClock()
        let end = clock.now() + milliseconds(3000)
        let target = FakeTarget(
            clock: clock,
            .init(
                service: { _ in milliseconds(5) },
                beforeAccess: { if $0.time > end { throw FakeFailure.full } }
            )
        )
        let scenario = Scenario.test([.reader("ui", pace: .closed(think: .milliseconds(5)))])
        let result = try await WorkloadRun.simulated(scenario, on: target).run()
        #expect(result.exitStatus == .failed)
        #expect(result.partial)
        #expect(result.failures?.first?.contains("SQLITE_FULL") == true)
        #expect(result.duration < 4, "the run must end soon after the disk is full, at 3 s")
        #expect(result.clients["ui"]?.completed ?? 0 > 200)
        #expect(result.clients["ui"]?.isBalanced == true)
    }
}
