import Foundation
import Reports
import Scenarios
import Telemetry
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests reports about a target with a known speed.
///
/// Each access takes a millisecond, except for one access that takes half a second.
@Suite(.timeLimit(.minutes(5)))
struct KnownLatencyTests {
    private static let stall: UInt64 = 500

    private func target() -> FakeTarget {
        FakeTarget(
            clock: SimulatedClock(),
            .init(service: { milliseconds($0.number == 700 ? Self.stall : 1) })
        )
    }

    /// Returns the response times that theory predicts, in milliseconds.
    ///
    /// Accesses arrive every 10 ms at one server. The kth access after the stalled access starts
    /// when the previous accesses have ended, at `500 + (k − 1)`, and ends a millisecond later.
    ///
    /// Its response time is `500 − 9k`.
    private func theory(count: Int) -> [Double] {
        var responses = Array(stride(from: Double(Self.stall), to: 1, by: -9))
        responses += Array(repeating: 1, count: count - responses.count)
        return responses.sorted()
    }

    private func expect(_ measured: UInt64?, _ percentile: Double, of sorted: [Double]) throws {
        let rank = Int((percentile / 100 * Double(sorted.count)).rounded(.up))
        let expected = sorted[rank - 1] * 1e6
        let value = Double(try #require(measured))
        // The tolerance covers rounding to two significant digits, and a rank that differs by one.
        #expect(abs(value - expected) <= expected * 0.01 + 9.1e6 * (expected > 1.1e6 ? 1 : 0))
    }

    @Test func anOpenLoopShowsAStallAsTheoryPredicts() async throws {
        let client = Client.reader("ui", pace: .open(Arrival(rate: 100, process: .even)))
        let scenario = Scenario.test([client], measured: .seconds(20))
        let result = try await WorkloadRun.simulated(scenario, on: target()).run()
        let ui = try #require(result.clients["ui"])
        #expect(ui.completed == ui.offered)
        let response = try #require(ui.response)
        let sorted = theory(count: Int(response.count))
        try expect(response.p50, 50, of: sorted)
        try expect(response.p90, 90, of: sorted)
        try expect(response.p95, 95, of: sorted)
        try expect(response.p99, 99, of: sorted)
        #expect(response.p999 == nil, "two samples lie beyond it")
        #expect(abs(Double(response.max) / 500e6 - 1) < 0.01)
        let mean = sorted.reduce(0, +) / Double(sorted.count) * 1e6
        #expect(abs(Double(response.mean) - mean) < mean * 0.01)
        // Only one access was served slowly.
        #expect(try #require(ui.service?.p99) < milliseconds(2))
        #expect(ui.loop == .open)
        #expect(ui.caveat == nil)
    }

    @Test func aClosedLoopReportsItsLimitation() async throws {
        let scenario = Scenario.test([.reader("ui")], measured: .seconds(20))
        let result = try await WorkloadRun.simulated(scenario, on: target()).run()
        let ui = try #require(result.clients["ui"])
        // Despite the stall, every percentile is low.
        #expect((19_480...19_520).contains(ui.completed))
        #expect(try #require(ui.response?.p999) < milliseconds(2))
        #expect(abs(Double(try #require(ui.response?.max)) / 500e6 - 1) < 0.01)
        #expect(ui.loop == .closed)
        #expect(ui.caveat?.contains("a stall of any length appears as one slow access") == true)
        let host = HostEnvironment(in: FileManager.default.temporaryDirectory, scenario: scenario)
        let whole = RunResult(scenario: scenario, environment: host, runs: [result])
        let text = TextReport.text(of: whole)
        #expect(text.contains("ui response *"))
        #expect(text.contains("* closed loop: "))
        let json = try JSONReport.text(of: whole)
        #expect(json.contains(#""loop" : "closed""#))
        #expect(json.contains(#""caveat" : "closed loop: "#))
    }

    /// The test uses real time and a target that does nothing, so the run measures only the
    /// generator.
    @Test func aGeneratorThatIsTheBottleneckIsInvalid() async throws {
        let scenario = Scenario.test([.reader("ui")], measured: .seconds(2))
        let run = WorkloadRun(
            scenario: scenario,
            arm: Arm(name: "nothing", kind: .pool),
            factory: NoopFactory()
        )
        let result = try await run.run()
        #expect(!result.valid)
        #expect(result.exitStatus == .invalid)
        #expect(ExitStatus.invalid.rawValue == 5)
        let line = TextReport.verdict(of: result, scenario: "test")
        #expect(line.hasPrefix("INVALID"))
        #expect(line.contains("the generator itself used"))
    }

    @Test func phasesAreReportedSeparately() async throws {
        let target = FakeTarget(
            clock: SimulatedClock(),
            .init(service: { milliseconds($0.time < 6_000_000_000 ? 2 : 4) })
        )
        var scenario = Scenario.test([.reader("ui")])
        scenario.phases = [
            Phase(name: "warm-up", duration: .seconds(2), isMeasured: false),
            Phase(name: "first", duration: .seconds(3)),
            Phase(name: "second", duration: .seconds(4)),
        ]
        let ui = try #require(
            try await WorkloadRun.simulated(scenario, on: target).run().clients["ui"]
        )
        let phases = try #require(ui.phases)
        #expect(Set(phases.keys) == ["warm-up", "first", "second"])
        let (first, second) = (try #require(phases["first"]), try #require(phases["second"]))
        #expect(first.completed + second.completed == ui.completed)
        #expect(first.offered + second.offered == ui.offered)
        for phase in phases.values { #expect(phase.isBalanced) }
        #expect(abs((first.throughput ?? 0) - 500) < 2)
        #expect(abs((second.throughput ?? 0) - 250) < 2)
        #expect(second.operations?["read"]?.completed == second.completed)
        #expect((phases["warm-up"]?.completed ?? 0) > 900)
    }
}

/// A factory for targets that do nothing.
private struct NoopFactory: WorkloadTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        if arm.name == "data" { try Data().write(to: URL(fileURLWithPath: path)) }
        return NoopTarget()
    }
}
