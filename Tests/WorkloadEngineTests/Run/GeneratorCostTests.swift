import Testing

@testable import WorkloadEngine

/// What the generator is said to cost, whatever else the machine does.
struct GeneratorCostTests {
    /// The cost that comes of some attempts, and how many of them were made.
    private func cost(of attempts: [GeneratorCost.Attempt]) -> (cost: UInt64, made: Int) {
        var made = 0
        let cost = GeneratorCost.measure {
            defer { made += 1 }
            return attempts[min(made, attempts.count - 1)]
        }
        return (cost, made)
    }

    @Test func threeAttemptsAreEnoughWhereTheThreadHasAProcessor() {
        let result = cost(of: [.init(time: 9_000_000, accesses: 9_000)])
        #expect(result == (1_000, 3))
    }

    /// What a hypervisor took of the first and the last counts as the thread's.
    @Test func theCheapestOfThemCounts() {
        let result = cost(of: [
            .init(time: 9_000_000, accesses: 3_000), .init(time: 9_000_000, accesses: 9_000),
            .init(time: 9_000_000, accesses: 6_000),
        ])
        #expect(result == (1_000, 3))
    }

    /// The thread had a core for its first access, and then not until the time was over.
    @Test func aMachineThatStoodStillIsAskedAgain() {
        let result = cost(of: [
            .init(time: 368_950, accesses: 1), .init(time: 0, accesses: 0),
            .init(time: 9_000_000, accesses: 9_000),
        ])
        #expect(result == (1_000, 5))
    }

    @Test func whereNoAttemptIsLongEnoughTheCheapestCounts() {
        let result = cost(of: [
            .init(time: 400_000, accesses: 1), .init(time: 1_500_000, accesses: 1_000),
            .init(time: 900_000, accesses: 300),
        ])
        #expect(result == (1_500, 25))
    }

    @Test func thisMachinesCostIsThatOfNoDatabase() throws {
        let cost = try GeneratorCost.measure()
        #expect(cost > 0)
        #expect(cost < 100_000, "\(cost) ns")
    }
}
