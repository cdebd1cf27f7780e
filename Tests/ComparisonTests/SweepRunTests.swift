import Foundation
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import Comparison
@testable import LoadTestSupport

@Suite(.timeLimit(.minutes(5)))
struct SweepRunTests {
    /// A factory for targets on which an access takes 16 ms in a queue.
    ///
    /// In a pool, an access takes 32 ms divided by the number of readers. Both kinds take the same
    /// time with two readers. With eight readers, the pool is four times as fast.
    private final class Factory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        private let opened = Lock(0)
        private let onOpen: @Sendable (Int) -> Void

        init(onOpen: @escaping @Sendable (Int) -> Void = { _ in }) { self.onOpen = onOpen }

        var openedCount: Int { opened.withLock { $0 } }

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
        scenario.primary = ["ui.response.p50", "ui.throughput"]
        return scenario
    }

    private func run(
        _ sweep: String,
        arms: [String],
        _ factory: Factory,
        blocks: Int? = nil,
        duration: Duration? = .seconds(1),
        limit: Duration = .seconds(3600)
    ) throws -> SweepRun {
        var options = ComparisonOptions()
        options.run.clock = factory.clock
        let sweep = try ComparisonSweep(try Sweep(sweep), of: scenario, arms: arms) { _ in
            throw RunError(.scenario, "there is no file")
        }
        return SweepRun(
            sweep,
            of: scenario,
            factory: factory,
            options: options,
            blocks: blocks,
            duration: duration,
            limit: limit
        )
    }

    private func result(_ run: SweepRun) async throws -> Comparison.ComparisonResult {
        try await run.run(try await run.rehearse())
    }

    private func verdicts(_ result: Comparison.ComparisonResult) throws -> [ComparisonVerdict] {
        try #require(result.sweep).rows.compactMap { row in
            row.a.flatMap { result.pair("ui.response.p50", of: row.b, against: $0)?.verdict }
        }
    }

    @Test func twoArmsAreComparedAtEachValue() async throws {
        let run = try run("readers=1,2,8", arms: ["queue", "pool"], Factory())
        let result = try await result(run)
        #expect(try verdicts(result) == [.worse, .same, .better])
        let ratios = result.pairs.filter(\.primary).compactMap(\.ratio)
        try #require(ratios.count == 3)
        #expect(abs(ratios[0] - 2) < 0.1)
        #expect(abs(ratios[2] - 0.25) < 0.02)
        #expect(result.pairs.allSatisfy { !$0.primary || $0.blocks == 8 })
        // Only the first primary metric is tested, so Holm's correction covers three tests.
        #expect(result.primary == ["ui.response.p50"])
        let smallest = result.pairs.first { $0.primary && $0.b == "pool, readers 8" }
        #expect(try #require(smallest?.p) == 3 * (try #require(smallest?.uncorrected)))
        // A client that the queue cannot run is skipped on all arms, and the result reports this.
        #expect(result.leftOut?.keys.sorted() == ["export"])
        #expect(
            result.answer == [
                "ui p50 of pool against queue: better at readers 8 (by 4.0×); worse at readers 1 "
                    + "(by 2.0×); same at readers 2."
            ]
        )
        #expect(result.exitStatus == .passed)
    }

    @Test func oneArmIsComparedWithItselfAtTheFirstValue() async throws {
        let result = try await result(try run("readers=2,4,1", arms: ["pool"], Factory()))
        #expect(try verdicts(result) == [.better, .worse])
        let sweep = try #require(result.sweep)
        #expect(sweep.rows.map(\.a) == [nil, "pool, readers 2", "pool, readers 2"])
        #expect(result.control?.arm == "pool, readers 2")
        #expect(result.answer.first?.contains("of pool against readers 2: better at") == true)
    }

    @Test func anEarlyEndReportsTheCompletedBlocks() async throws {
        let box = Lock<SweepRun?>(nil)
        let factory = Factory { number in if number == 30 { box.withLock { $0 }?.stop() } }
        let run = try run("readers=1,2", arms: ["queue", "pool"], factory)
        box.withLock { $0 = run }
        let result = try await result(run)
        box.withLock { $0 = nil }
        #expect(result.partial)
        #expect((1..<8).contains(result.blocks))
        // Too few blocks show no difference, but equal times are the same.
        #expect(try verdicts(result) == [.inconclusive, .same])
        #expect(result.exitStatus == .interrupted)
    }

    @Test func aStopDuringTheRehearsalLeavesNoBlocks() async throws {
        let box = Lock<SweepRun?>(nil)
        let factory = Factory { _ in box.withLock { $0 }?.stop() }
        let run = try run("readers=1,2", arms: ["queue", "pool"], factory)
        box.withLock { $0 = run }
        let result = try await result(run)
        box.withLock { $0 = nil }
        #expect(result.blocks == 0)
        #expect(result.partial)
        #expect(result.answer.isEmpty)
    }

    @Test func unsuitableOptionsAreReportedBeforeTheFirstRun() async throws {
        let factory = Factory()
        func failure(
            _ sweep: String,
            arms: [String] = ["queue", "pool"],
            blocks: Int? = nil,
            limit: Duration = .seconds(3600)
        ) async -> String {
            do {
                let run = try run(sweep, arms: arms, factory, blocks: blocks, limit: limit)
                _ = try await run.rehearse()
                return "no error"
            } catch { return "\(error)" }
        }
        let short = await failure("readers=1,2", limit: .seconds(20))
        #expect(short.contains("40 runs (5 runs in each of 8 blocks) take at least 60 s"))
        #expect(short.contains("--within leaves only 18 s; choose a shorter --duration"))
        #expect(await failure("readers=1,2", blocks: 3).contains("--blocks 3 is too low"))
        #expect(await failure("readers=4").contains("several values, such as readers=1,2,4,8"))
        #expect(await failure("readers=1,2", arms: ["queue"]).contains("no compared arm of test"))
        #expect(await failure("journal=wal,delete", arms: ["pool"]).contains("a pool always"))
        #expect(
            await failure("readers=1,2", arms: ["pool", "pool"]).contains("--arms: queue, pool")
        )
        #expect(await failure("hold=1ms,2ms").contains("no client that holds"))
        #expect(await failure("write-share=0,0.5").contains("clients that read and clients that"))
        #expect(await failure("rate=5/s,6/s").contains("no client of test has arrivals"))
        #expect(factory.openedCount == 0)
    }
}

struct SweepScheduleTests {
    private func schedule(
        within seconds: Int,
        tests: Int = 4,
        blocks: Int? = nil,
        duration: Duration? = nil
    ) throws -> SweepSchedule {
        try SweepSchedule(
            of: .seconds(seconds),
            for: Scenario.test([.reader("ui")], measured: .seconds(4)),
            slots: 9,
            tests: tests,
            blocks: blocks,
            duration: duration,
            overhead: 0.25
        )
    }

    @Test func theTimeIsDividedAmongTheRuns() throws {
        let schedule = try schedule(within: 300)
        // Nine runs in each of nine blocks, with half a second of warm-up each.
        #expect(schedule.blocks == 9)
        #expect(schedule.runs == 81)
        #expect(schedule.duration == .milliseconds(2_550))
        #expect((260...270).contains(schedule.time.inSeconds))
        #expect(try self.schedule(within: 3_000).duration == .seconds(3))
    }

    @Test func moreTestsNeedMoreBlocks() throws {
        #expect(try schedule(within: 600, tests: 1).blocks == 8)
        #expect(try schedule(within: 600, tests: 40).blocks == 12)
        #expect(try schedule(within: 600, tests: 40, blocks: 20).blocks == 20)
    }

    @Test func aTimeThatIsTooShortStatesASufficientOne() throws {
        let error = #expect(throws: RunError.self) { try schedule(within: 20) }
        let message = try #require(error?.message)
        #expect(message.contains("or --within 2m"))
        #expect(try schedule(within: 60).duration == .milliseconds(250))
    }
}
