import Foundation
import Telemetry
import Testing

@testable import WorkloadEngine

/// Screening and confirmation of candidates, on targets whose service time depends on the arm.
@Suite(.timeLimit(.minutes(5)))
struct AdviceRunTests {
    /// Each access takes the time in nanoseconds that `service` returns for its arm.
    private struct Factory: WorkloadTargetFactory {
        let clock = SimulatedClock()
        let service: @Sendable (Arm) -> UInt64

        func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
            try Data().write(to: URL(fileURLWithPath: path))
            let time = service(arm)
            return FakeTarget(
                clock: clock,
                .init(hasSnapshots: arm.kind == .pool, service: { _ in time })
            )
        }
    }

    private func advice(
        _ arm: Arm,
        service: @escaping @Sendable (Arm) -> UInt64
    ) async throws -> AdviceResult {
        var scenario = Scenario.test([.reader()], measured: .seconds(10))
        scenario.arms = [arm]
        let factory = Factory(service: service)
        var options = AdviceOptions()
        options.within = .seconds(3600)
        options.run.clock = factory.clock
        options.indexes = { _ in
            { sql, _ in sql.isEmpty ? [] : ["CREATE INDEX advised_t_a ON t (a)"] }
        }
        return try await AdviceRun(scenario: scenario, factory: factory, options: options).run()
    }

    @Test func theChangeThatHelpsIsRecommended() async throws {
        let result = try await advice(Arm(name: "present", kind: .pool, readers: 2)) { arm in
            let isLarge = arm.pragmas.contains { $0.name == "cache_size" }
            return milliseconds(isLarge ? 2 : 10)
        }
        #expect(!result.partial)
        try #require(result.recommended.count == 1)
        let found = result.recommended[0]
        #expect(found.change == "pragmas: {cache_size: -65536}")
        #expect((4.8...5.2).contains(found.effect))
        #expect(found.confirmed?.allSatisfy { $0.primary } == true)
        #expect(result.candidates.first == found)
        #expect(result.answer.contains("1 of"))
        let text = AdviceReport.text(of: result)
        #expect(text.contains("1. cache-size-65536: reader throughput 5.0× higher"))
        #expect(text.contains("did not help"))
        #expect(result.exitStatus == .passed)
    }

    @Test func nothingIsRecommendedWhereNothingHelps() async throws {
        let result = try await advice(Arm(name: "present", kind: .queue)) { _ in milliseconds(10) }
        #expect(result.recommended.isEmpty)
        #expect(result.blocks == 0)
        #expect(result.candidates.allSatisfy { $0.verdict == .notPromising })
        #expect(result.answer.contains("none of"))
    }

    @Test func aChangeThatWeakensDurabilityIsNotRecommended() async throws {
        let result = try await advice(Arm(name: "present", kind: .queue)) { arm in
            milliseconds(arm.synchronous == "normal" ? 2 : 10)
        }
        #expect(result.recommended.isEmpty)
        let last = try #require(result.candidates.last)
        #expect(last.weakensDurability && last.change == "journal: wal, synchronous: normal")
        let text = AdviceReport.text(of: result)
        #expect(text.contains("These weaken durability and are not recommended:"))
        #expect(!result.candidates.contains { $0.change.contains("synchronous: off") })
    }

    @Test func anUnknownArmIsNamed() throws {
        var scenario = Scenario.test([.reader()])
        scenario.arms = [Arm(name: "pool", kind: .pool)]
        var options = AdviceOptions()
        options.arm = "pol"
        let error = #expect(throws: RunError.self) {
            try AdviceRun(
                scenario: scenario,
                factory: Factory { _ in 1 },
                options: options
            )
        }
        #expect(error?.description.contains("did you mean 'pool'?") == true)
    }
}
