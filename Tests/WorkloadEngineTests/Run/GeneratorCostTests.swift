import Testing

@testable import WorkloadEngine

/// The measured cost of the generator on a busy machine.
struct GeneratorCostTests {
    /// The cost that results from some attempts, and the number of attempts.
    private func cost(of attempts: [GeneratorCost.Attempt]) -> (cost: UInt64, made: Int) {
        var made = 0
        let cost = GeneratorCost.measure {
            defer { made += 1 }
            return attempts[min(made, attempts.count - 1)]
        }
        return (cost, made)
    }

    @Test func threeAttemptsSufficeIfTheThreadHasAProcessor() {
        let result = cost(of: [.init(time: 9_000_000, accesses: 9_000)])
        #expect(result == (1_000, 3))
    }

    /// Time that the hypervisor used during the first and the last attempt counts as the thread's.
    @Test func theCheapestAttemptCounts() {
        let result = cost(of: [
            .init(time: 9_000_000, accesses: 3_000), .init(time: 9_000_000, accesses: 9_000),
            .init(time: 9_000_000, accesses: 6_000),
        ])
        #expect(result == (1_000, 3))
    }

    /// The thread had a core for its first access, and then none until the time had expired.
    @Test func anAttemptOnAStalledMachineIsRepeated() {
        let result = cost(of: [
            .init(time: 368_950, accesses: 1), .init(time: 0, accesses: 0),
            .init(time: 9_000_000, accesses: 9_000),
        ])
        #expect(result == (1_000, 5))
    }

    @Test func ifNoAttemptIsLongEnoughTheCheapestCounts() {
        let result = cost(of: [
            .init(time: 400_000, accesses: 1), .init(time: 1_500_000, accesses: 1_000),
            .init(time: 900_000, accesses: 300),
        ])
        #expect(result == (1_500, 25))
    }

    @Test func thisMachinesCostIsFarBelowThatOfADatabase() throws {
        let cost = try GeneratorCost.measure()
        #expect(cost > 0)
        #expect(cost < 100_000, "\(cost) ns")
    }
}
