import Foundation
import Reports
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@testable import Comparison
@testable import LoadTestSupport

@Suite(.timeLimit(.minutes(5)))
struct ComparisonTests {
    /// A factory that opens a new fake target for each arm.
    ///
    /// The accesses of the slow arm take four times as long as those of the other arms.
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

    private static let scenario = {
        var scenario = Scenario.test(
            [
                .reader(),
                .doing(.snapshot(.share(0.2), sql: nil), named: "export", pace: .at(.share(0.1))),
            ],
            warmUp: .seconds(1),
            arms: ["fast", "slow", "other"]
        )
        // Every run misses this limit, but thresholds do not end runs in a comparison.
        var limit = Threshold(
            metric: "reader.response",
            expression: "max < 1ms",
            aggregate: "max",
            comparison: "<",
            limit: 1e6
        )
        limit.abortDelay = .zero
        scenario.thresholds = [limit]
        return scenario
    }()

    private var scenario: Scenario { Self.scenario }

    private static func options(_ clock: SimulatedClock, blocks: Int = 7) -> ComparisonOptions {
        var options = ComparisonOptions()
        options.blocks = blocks
        options.duration = .seconds(3)
        options.run.clock = clock
        return options
    }

    /// A complete comparison, shared by several tests.
    private struct Outcome: Sendable {
        var result: Comparison.ComparisonResult
        var opened: [String]
        var progress: [String]
    }

    private static let outcome = Task<Outcome, any Error> {
        let factory = ArmFactory()
        let lines = Lock<[String]>([])
        var options = Self.options(factory.clock)
        let names = ["fast", "slow", "other"]
        options.failIf = [
            try FailCondition("reader.throughput < 0.9x", in: scenario, arms: names),
            try FailCondition("reader.throughput < 0.1x", in: scenario, arms: names),
        ]
        options.onProgress = { line in lines.withLock { $0.append(line) } }
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options
        ).run()
        return Outcome(
            result: result,
            opened: factory.opened.withLock { $0 },
            progress: lines.withLock { $0 }
        )
    }

    @Test func armsAlternateInBlocksAndTheFirstOneRunsTwice() async throws {
        let outcome = try await Self.outcome.value
        let result = outcome.result
        #expect(result.blocks == 7)
        #expect(result.order.count == 7)
        let all = ["fast", "fast", "other", "slow"]
        #expect(result.order.allSatisfy { $0.sorted() == all })
        #expect(Set(result.order).count > 1, "each block draws a new order")
        let fast = try #require(result.arms.first { $0.arm == "fast" })
        let slow = try #require(result.arms.first { $0.arm == "slow" })
        #expect(fast.metrics["reader.throughput"]?.median == 100)
        #expect(fast.metrics["reader.throughput"]?.count == 7)
        #expect(slow.metrics["reader.throughput"]?.median == 25)
        #expect(slow.values["reader.throughput"] == Array(repeating: 25, count: 7))
        #expect(slow.metrics["reader.response.p99"] == nil, "75 accesses have no p99")
        #expect(fast.spectra["reader"]?.count == 2100)
        let run = try #require(fast.representative)
        #expect(run.intervals.filter(\.measured).count >= 10, "a short run also has records")
        // The dataset is opened once for all arms. Each arm is opened once to determine its
        // capabilities. Four arms are opened per block.
        #expect(outcome.opened.count { $0 == "data" } == 1)
        #expect(outcome.opened.count == 32)
    }

    @Test func blocksBeyondTheTimeLimitAreOmitted() async throws {
        let factory = ArmFactory()
        var options = Self.options(factory.clock, blocks: 20)
        // A block of four runs takes about 16 s.
        options.limit = .seconds(150)
        options.onlyAgainstFirst = true
        options.primary = ["reader.throughput", "reader.response.p99"]
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options
        ).run()
        #expect((7...12).contains(result.blocks))
        #expect(!result.partial)
        let advice = "(a longer --within avoids this)"
        #expect(result.warnings?.contains { $0.hasSuffix(advice) } == true, "\(result)")
        let slow = try #require(result.pair("reader.throughput", of: "slow", against: "fast"))
        #expect(slow.verdict == .worse)
    }

    @Test func aClientThatOneArmCannotRunIsSkippedOnAllArms() async throws {
        let result = try await Self.outcome.value.result
        #expect(result.leftOut == ["export": "arm 'slow' does not support snapshot accesses"])
        for arm in result.arms {
            #expect(!arm.metrics.keys.contains { $0.hasPrefix("export") })
        }
    }

    /// Simulated time has no noise.
    ///
    /// Slower arms are therefore detected, and equal arms are the same.
    @Test func pairsAreJudgedAgainstTheNoiseOfTheFirstArm() async throws {
        let result = try await Self.outcome.value.result
        #expect(result.primary == ["reader.throughput"])
        #expect(result.noiseFloor["reader.throughput"] == 1)
        let slow = try #require(result.pair("reader.throughput", of: "slow", against: "fast"))
        #expect(slow.verdict == .worse)
        #expect(slow.ratio == 0.25)
        // There are two tests. In each of them, seven differences have the same sign.
        #expect(slow.p == 4.0 / 128)
        let other = try #require(result.pair("reader.throughput", of: "other", against: "fast"))
        #expect(other.verdict == .same)
        #expect(result.failIf?.map(\.failed) == [true, false, false, false])
        #expect(result.exitStatus == .regression)
    }

    @Test func theTextBeginsWithTheResult() async throws {
        let text = ComparisonReport.text(of: try await Self.outcome.value.result)
        let beginning = """
            REGRESSION  reader.throughput < 0.9x: reader.throughput of slow is 0.25× that of fast \
            (0.25–0.25)
            slow: reader throughput 4.0× lower (4.0–4.0) than fast.
            other: these blocks show no difference from fast; reader throughput is \
            the same within this machine's noise (±1.00×).
            omitted from every arm: export, because arm 'slow' does not support snapshot accesses

            """
        #expect(text.hasPrefix(beginning), "\(text)")
        #expect(text.contains("test: fast, slow, other, fast again; 7 blocks of 3.00 s each"))
        #expect(text.contains("100/s [100/s … 100/s]"))
        let markdown = ComparisonReport.markdown(of: try await Self.outcome.value.result)
        #expect(markdown.contains("**slow: reader throughput 4.0× lower (4.0–4.0) than fast.**"))
        #expect(markdown.contains("| reader.throughput | 100/s | 25.0/s | 4.0× lower |"))
    }

    @Test func theJSONHasItsDocumentedKeys() async throws {
        let result = try await Self.outcome.value.result
        let text = try JSONReport.text(of: result)
        let decoded = try JSONDecoder().decode(
            Comparison.ComparisonResult.self,
            from: Data(text.utf8)
        )
        #expect(decoded == result)
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        )
        #expect(root["schema"] as? String == "poolgauge.comparison/1")
        #expect(root["scenario"] as? String == "test")
        #expect(root["blocks"] as? Int == 7)
        #expect((root["noiseFloor"] as? [String: Double])?["reader.throughput"] == 1)
        let pair = try #require((root["pairs"] as? [[String: Any]])?.first)
        for key in ["metric", "a", "b", "ratio", "low", "high", "p", "verdict"] {
            #expect(pair[key] != nil, "\(key)")
        }
    }

    @Test func progressShowsTheRemainingTime() async throws {
        let lines = try await Self.outcome.value.progress
        #expect(lines.count == 28)
        #expect(lines.first?.hasPrefix("block 1 of 7: ") == true)
        #expect(lines.last?.hasSuffix("about 4 s left") == true, "\(lines.last ?? "")")
    }

    @Test func onlyTheChosenArmsRun() async throws {
        let factory = ArmFactory()
        var options = Self.options(factory.clock, blocks: 6)
        options.arms = ["other", "fast"]
        let result = try await ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: options
        ).run()
        #expect(result.arms.map(\.arm) == ["other", "fast"])
        #expect(result.pairs.allSatisfy { $0.a == "other" && $0.b == "fast" })
        #expect(result.leftOut == nil)
    }

    @Test func anUnknownArmIsAnErrorWithTheNearestName() async throws {
        let factory = ArmFactory()
        var options = Self.options(factory.clock)
        options.arms = ["fats"]
        let comparison = ComparisonRun(scenario: scenario, factory: factory, options: options)
        let error = await #expect(throws: RunError.self) { try await comparison.run() }
        #expect(error?.message == "test has no arm 'fats'; did you mean 'fast'?")
    }

    @Test func aStoppedComparisonKeepsItsCompletedBlocks() async throws {
        let handle = Lock<ComparisonRun?>(nil)
        // Three arms are opened to determine their capabilities, and the dataset is opened once.
        // Then four arms are opened per block.
        let factory = ArmFactory { count in
            if count == 9 { handle.withLock { $0 }?.stop() }
        }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: factory,
            options: Self.options(factory.clock)
        )
        handle.withLock { $0 = comparison }
        let result = try await comparison.run()
        handle.withLock { $0 = nil }
        #expect(result.partial)
        #expect(result.blocks == 1)
        #expect(result.pairs.allSatisfy { $0.verdict != .worse && $0.verdict != .better })
        #expect(ComparisonReport.text(of: result).hasPrefix("PARTIAL  stopped after 1 block\n"))
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
