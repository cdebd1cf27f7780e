import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

@Suite(.timeLimit(.minutes(5)))
struct ComparisonTests {
    /// Opens a fresh fake for each arm; the slow arm takes four times as long.
    private final class ArmFactory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        let opened = Lock<[String]>([])
        let onOpen: @Sendable (Int) -> Void

        init(onOpen: @escaping @Sendable (Int) -> Void = { _ in }) { self.onOpen = onOpen }

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            let count = opened.withLock { opened in
                opened.append(arm.name)
                return opened.count
            }
            onOpen(count)
            let service = milliseconds(arm.name == "slow" ? 40 : 10)
            return FakeTarget(
                clock: clock,
                .init(hasSnapshots: arm.name != "slow", service: { _ in service })
            )
        }
    }

    private var scenario: Scenario {
        .test(
            [
                .reader(),
                .doing(
                    .snapshot(.share(0.2), sql: nil),
                    named: "export",
                    pace: .at(.share(0.1))
                ),
            ],
            warmUp: .seconds(1),
            arms: ["fast", "slow", "other"]
        )
    }

    private func options(_ clock: SimulatedClock, blocks: Int = 4) -> ComparisonOptions {
        var options = ComparisonOptions()
        options.blocks = blocks
        options.duration = .seconds(3)
        options.run.clock = clock
        return options
    }

    @Test func armsAlternateInBlocksAndTheirMediansAreTold() async throws {
        let factory = ArmFactory()
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options(factory.clock)
        ).run()
        #expect(result.blocks == 4)
        #expect(result.order.count == 4)
        #expect(result.order.allSatisfy { $0.sorted() == ["fast", "other", "slow"] })
        #expect(Set(result.order).count > 1, "the order is drawn anew for each block")
        let fast = try #require(result.arms.first { $0.arm == "fast" })
        let slow = try #require(result.arms.first { $0.arm == "slow" })
        #expect(fast.metrics["reader.throughput"]?.median == 100)
        #expect(slow.metrics["reader.throughput"]?.median == 25)
        #expect(fast.metrics["reader.throughput"]?.count == 4)
        #expect(slow.metrics["reader.response.p99"] == nil, "75 accesses have no p99")
        // One data set for all, and then each arm is opened to ask, and in each block.
        #expect(factory.opened.withLock { $0 }.count { $0 == "data" } == 1)
    }

    @Test func aClientThatOneArmCannotRunIsLeftOutOfAll() async throws {
        let factory = ArmFactory()
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options(factory.clock, blocks: 1)
        ).run()
        #expect(result.leftOut == ["export": "arm 'slow' has no snapshot accesses"])
        for arm in result.arms {
            #expect(!arm.metrics.keys.contains { $0.hasPrefix("export") })
        }
        let text = ComparisonReport.text(of: result)
        #expect(text.hasPrefix("left out of every arm: export, because arm 'slow' has no snapshot"))
        #expect(text.contains("100 /s [100 /s … 100 /s]"))
    }

    @Test func onlyTheChosenArmsRun() async throws {
        let factory = ArmFactory()
        var options = options(factory.clock, blocks: 1)
        options.arms = ["other", "fast"]
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options
        ).run()
        #expect(result.arms.map(\.arm) == ["fast", "other"])
        #expect(result.leftOut == nil)
    }

    @Test func anUnknownArmIsAnErrorThatNamesTheNearest() async throws {
        let factory = ArmFactory()
        var options = options(factory.clock)
        options.arms = ["fats"]
        let comparison = ComparisonRun(scenario: scenario, factory: factory, options: options)
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.message == "no arm is named 'fats'; did you mean 'fast'?")
    }

    @Test func aStoppedComparisonKeepsItsCompletedBlocks() async throws {
        let handle = Lock<ComparisonRun?>(nil)
        // Three arms are opened to ask, the data once, and then three for each block.
        let factory = ArmFactory { count in
            if count == 9 { handle.withLock { $0 }?.stop() }
        }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options(factory.clock)
        )
        handle.withLock { $0 = comparison }
        let result = try await comparison.run()
        handle.withLock { $0 = nil }
        #expect(result.partial)
        #expect(result.blocks == 1)
        #expect(result.exitStatus == .interrupted)
    }

    @Test func spreadsAreQuantilesOfTheBlocks() throws {
        let spread = try #require(Spread([4, 1, 3, 2, 10]))
        #expect(spread.median == 3)
        #expect(spread.lowerQuartile == 2)
        #expect(spread.upperQuartile == 4)
        #expect(spread.minimum == 1)
        #expect(spread.maximum == 10)
        #expect(try #require(Spread([1, 2])).median == 1.5)
        #expect(Spread([]) == nil)
    }
}
