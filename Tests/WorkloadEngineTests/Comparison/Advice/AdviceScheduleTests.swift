import Testing

@testable import WorkloadEngine

/// The division of a time limit between screening and confirmation.
struct AdviceScheduleTests {
    @Test(arguments: [20.0, 60, 300, 3600], [1, 8, 20])
    func screeningLeavesTimeForConfirmation(limit: Double, candidates: Int) {
        let overhead = 0.4
        let plan = AdviceSchedule.screening(
            candidates: candidates,
            within: limit,
            overhead: overhead
        )
        #expect(plan.rounds >= 1 && plan.seconds >= 0.3)
        let spent =
            Double(plan.rounds * (candidates + 1)) * (plan.seconds * 1.5 + overhead)
        // With many candidates and little time, the shortest runs decide.
        #expect(spent <= limit * 0.36 || plan.seconds == 0.3)
    }

    @Test func aShortTimeConfirmsFewerCandidates() throws {
        func plan(_ left: Double) -> (candidates: Int, blocks: Int, seconds: Double)? {
            AdviceSchedule.confirmation(
                candidates: 3,
                tests: { 2 * $0 },
                left: left,
                overhead: 0.4
            )
        }
        #expect(plan(5) == nil)
        #expect(plan(25)?.candidates == 1)
        let long = try #require(plan(200))
        #expect(long.candidates == 3)
        // Six tests need eight blocks to detect any difference.
        #expect(BlockCount.suffices(long.blocks, tests: 6))
        let spent = Double(long.blocks * 5) * (long.seconds * 1.5 + 0.4)
        #expect(spent <= 200.001)
    }
}
