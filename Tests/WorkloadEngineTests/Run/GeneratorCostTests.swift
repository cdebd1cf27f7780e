import Testing

@testable import WorkloadEngine

/// Tests the measured cost of the generator on a busy machine.
struct GeneratorCostTests {
    /// Returns the cost derived from the given attempts, and the number of attempts made.
    private func cost(of attempts: [GeneratorCost.Attempt]) -> (cost: UInt64, attemptCount: Int) {
        var attemptCount = 0
        let cost = GeneratorCost.measure {
            defer { attemptCount += 1 }
            return attempts[min(attemptCount, attempts.count - 1)]
        }
        return (cost, attemptCount)
    }

    @Test func threeAttemptsSufficeIfTheThreadHasAProcessor() {
        let result = cost(of: [.init(time: 9_000_000, accesses: 9_000)])
        #expect(result == (1_000, 3))
    }

    /// Time that the hypervisor steals during the first and last attempts is charged to the thread.
    @Test func theCheapestAttemptIsUsed() {
        let result = cost(of: [
            .init(time: 9_000_000, accesses: 3_000), .init(time: 9_000_000, accesses: 9_000),
            .init(time: 9_000_000, accesses: 6_000),
        ])
        #expect(result == (1_000, 3))
    }

    /// The thread has a core for its first access, and then none until the time limit is exceeded.
    @Test func anAttemptOnAStalledMachineIsRepeated() {
        let result = cost(of: [
            .init(time: 368_950, accesses: 1), .init(time: 0, accesses: 0),
            .init(time: 9_000_000, accesses: 9_000),
        ])
        #expect(result == (1_000, 5))
    }

    @Test func ifNoAttemptIsLongEnoughTheCheapestIsUsed() {
        let result = cost(of: [
            .init(time: 400_000, accesses: 1), .init(time: 1_500_000, accesses: 1_000),
            .init(time: 900_000, accesses: 300),
        ])
        #expect(result == (1_500, 25))
    }

    @Test func theGeneratorCostsFarLessThanADatabase() throws {
        let cost = try GeneratorCost.measure()
        #expect(cost > 0)
        #expect(cost < 100_000, "\(cost) ns")
    }
}
