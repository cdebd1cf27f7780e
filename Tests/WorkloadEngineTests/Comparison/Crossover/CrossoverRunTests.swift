import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

@Suite(.timeLimit(.minutes(5)))
struct CrossoverRunTests {
    /// A factory for targets on which an access takes 16 ms in a queue.
    ///
    /// In a pool, an access takes 32 ms divided by the number of readers.
    ///
    /// Both kinds take the same time with two readers. With eight readers, the pool is four times
    /// as fast.
    private final class Factory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        let opened = Lock(0)
        let onOpen: @Sendable (Int) -> Void

        init(onOpen: @escaping @Sendable (Int) -> Void = { _ in }) { self.onOpen = onOpen }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            let number = opened.withLock { opened in
                opened += 1
                return opened
            }
            onOpen(number)
            let service = arm.kind == .queue ? 16_000_000 : 32_000_000 / UInt64(arm.readers ?? 1)
            return FakeTarget(
                clock: clock,
                .init(hasSnapshots: arm.kind == .pool, service: { _ in service })
            )
        }
    }

    private var scenario: Scenario {
        var scenario = Scenario.test(
            [
                .reader("ui", workers: 1),
                .doing(.snapshot(.share(0.1), sql: nil), named: "export", pace: .at(.share(0.1))),
            ],
            measured: .seconds(4)
        )
        scenario.arms = [Arm(name: "queue", kind: .queue), Arm(name: "pool", kind: .pool)]
        scenario.primary = ["ui.response.p99"]
        return scenario
    }

    private func options(_ clock: SimulatedClock, _ sweeps: String...) throws -> CrossoverOptions {
        var options = CrossoverOptions(
            a: "queue",
            b: "pool",
            sweeps: try sweeps.map { try Sweep($0) }
        )
        options.duration = .seconds(1)
        options.timeLimit = .seconds(3600)
        options.run.clock = clock
        return options
    }

    @Test func theMapShowsWhereThePoolBeatsTheQueue() async throws {
        let factory = Factory()
        let map = try CrossoverRun(
            scenario: scenario,
            factory: factory,
            options: options(factory.clock, "readers=1,2,8")
        )
        try await map.rehearse()
        let result = try await map.run()
        #expect(!result.partial)
        #expect(result.cells.map(\.verdict) == [.worse, .same, .better])
        let ratios = result.cells.compactMap(\.ratio)
        try #require(ratios.count == 3)
        #expect(abs(ratios[0] - 2) < 0.1)
        #expect(abs(ratios[1] - 1) < 0.05)
        #expect(abs(ratios[2] - 0.25) < 0.02)
        #expect(result.cells.allSatisfy { $0.pairs == 6 })
        #expect(result.cells.map(\.options) == [["--readers 1"], ["--readers 2"], ["--readers 8"]])
        // A second contains 60 accesses, which is too few for a p99 or a p95.
        #expect(result.metric == "ui.response.p50")
        #expect(result.metricNote?.hasPrefix("ui.response.p50 instead of") == true)
        // A client that the queue cannot run is skipped on all arms, and the result reports this.
        #expect(result.leftOut?.keys.sorted() == ["export"])
        #expect(result.noisePairs == 12)
        let sentence = CrossoverReport.sentence(of: result)
        #expect(
            sentence.hasPrefix("test: pool beats queue in 1 of 3 cells, by up to 4× (readers 8)")
        )
        #expect(sentence.contains("queue beats pool in 1, by up to 2× (readers 1)"))
    }

    @Test func anEarlyEndLeavesFewerPairsInEachCell() async throws {
        let box = Lock<CrossoverRun?>(nil)
        // Two fake targets are opened to determine their capabilities, and one target builds the
        // dataset.
        let factory = Factory { number in if number == 14 { box.withLock { $0 }?.stop() } }
        let map = try CrossoverRun(
            scenario: scenario,
            factory: factory,
            options: options(factory.clock, "readers=1,2")
        )
        box.withLock { $0 = map }
        let result = try await map.run()
        #expect(result.partial)
        #expect(result.partialReason == "stopped")
        #expect(result.cells.allSatisfy { (1...2).contains($0.pairs) })
        #expect(result.cells.allSatisfy { $0.verdict == .inconclusive })
        #expect(result.exitStatus == .interrupted)
        box.withLock { $0 = nil }
    }

    @Test func unsuitableOptionsAreReportedBeforeTheFirstRun() throws {
        let factory = Factory()
        func failure(_ change: (inout CrossoverOptions) throws -> Void) throws -> String {
            var options = try options(factory.clock, "readers=1,2")
            try change(&options)
            let error = #expect(throws: RunError.self) {
                try CrossoverRun(scenario: scenario, factory: factory, options: options)
            }
            return error?.message ?? ""
        }
        #expect(try failure { $0.timeLimit = .seconds(10) }.contains("--within allows only 10 s"))
        #expect(try failure { $0.sweeps = [] }.contains("--sweep readers=1,2,4,8"))
        #expect(try failure { $0.sweeps += $0.sweeps }.contains("readers is swept twice"))
        #expect(
            try failure { $0.b = "poool" }
                .contains("two different arms of test with --arms: queue, pool")
        )
        #expect(
            try failure { $0.sweeps = [try Sweep("hold=1ms")] }.contains("no client that holds")
        )
        #expect(
            try failure { $0.sweeps = [try Sweep("write-share=0.5")] }
                .contains("clients that read and clients that write")
        )
        #expect(
            try failure { $0.sweeps = [try Sweep("rate=5/s")] }.contains(
                "no client of test has arrivals"
            )
        )
        #expect(factory.opened.withLock { $0 } == 0)
    }

    @Test func aWaitOfZeroIsNotInfinitelyShorter() throws {
        let wait = try CrossoverMetric("ui.wait.p50", of: scenario)
        #expect(wait.logRatio(0, 1_000) == log(1_000.0) - log(100.0))
        #expect(wait.logRatio(0, 0) == 0)
        #expect(wait.logRatio(2_000, 1_000) == log(1_000.0) - log(2_000.0))
        let throughput = try CrossoverMetric("ui.throughput", of: scenario)
        #expect(throughput.logRatio(2, 1) == log(1.0) - log(2.0))
    }

    @Test func anUnknownMetricIsReportedWithTheNearestName() throws {
        #expect(try CrossoverMetric("ui.response.p99.9", of: scenario).aggregate == "p(99.9)")
        #expect(try CrossoverMetric("ui.response.p99.9", of: scenario).name == "ui.response.p99.9")
        #expect(try CrossoverMetric("ui.throughput", of: scenario).isThroughput)
        let error = #expect(throws: RunError.self) {
            try CrossoverMetric("ui.respnse.p99", of: scenario)
        }
        #expect(error?.message.contains("did you mean 'ui.response.p99'?") == true)
    }
}
