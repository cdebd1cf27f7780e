import Testing

@testable import WorkloadEngine

/// Tests how a search divides its time limit between screening and confirmation.
struct AdviceScheduleTests {
    private func screening(
        _ candidates: Int,
        needed: Double = 0.3
    ) -> (rounds: [Int], seconds: Double) {
        let plan = AdviceSchedule.screening(
            candidates: candidates,
            within: 60,
            overhead: 0.1,
            needed: needed
        )
        return (plan.rounds, plan.seconds)
    }

    @Test(arguments: [20.0, 60, 300, 3600], [1, 8, 20])
    func screeningLeavesTimeForConfirmation(limit: Double, candidates: Int) {
        let overhead = 0.4
        let plan = AdviceSchedule.screening(
            candidates: candidates,
            within: limit,
            overhead: overhead,
            needed: 0.3
        )
        #expect(!plan.rounds.isEmpty && plan.seconds >= 0.3)
        let runs = plan.rounds.reduce(0) { $0 + $1 + 1 }
        let spent = Double(runs) * (plan.seconds * 1.5 + overhead)
        // The minimum run length applies if there are many candidates and little time.
        #expect(spent <= limit * 0.31 || plan.seconds == 0.3)
    }

    @Test func theBetterHalfOfARoundAdvances() {
        #expect(screening(9).rounds == [9, 5, 4])
        #expect(screening(3).rounds == [3, 3, 3])
        #expect(screening(0).rounds == [0, 0, 0])
    }

    @Test func fewerRoundsLeaveTimeForEnoughSamples() {
        let plan = screening(9, needed: 1)
        #expect(plan.rounds == [9])
        #expect(plan.seconds >= 1)
    }

    private func confirmation(
        _ candidates: Int,
        metrics: Int = 2,
        remaining: Double = 36,
        needed: Double = 0.3
    ) -> (candidates: Int, blocks: Int, seconds: Double)? {
        AdviceSchedule.confirmation(
            candidates: candidates,
            tests: { $0 * metrics },
            remaining: remaining,
            overhead: 0.1,
            needed: needed
        )
    }

    @Test func theRunsOfAConfirmationFitIntoTheRemainingTime() throws {
        for candidates in 1...3 {
            let plan = try #require(confirmation(candidates))
            let runs = Double((plan.candidates + 2) * plan.blocks)
            #expect(runs * (plan.seconds * 1.5 + 0.1) <= 0.9 * 36.001)
            #expect(plan.blocks > BlockCount.minimum(tests: plan.candidates * 2))
        }
    }

    @Test func fewerCandidatesAreConfirmedIfTheirRunsWouldBeTooShort() throws {
        #expect(try #require(confirmation(3)).candidates == 3)
        let slow = try #require(confirmation(3, needed: 0.7))
        #expect(slow.candidates < 3)
        #expect(slow.seconds >= 0.7)
        #expect(confirmation(3, remaining: 5) == nil)
    }

    @Test func enoughTimeConfirmsAllCandidates() throws {
        let plan = try #require(confirmation(3, remaining: 200))
        #expect(plan.candidates == 3)
        // With six tests, eight blocks are needed to detect any difference.
        #expect(BlockCount.suffices(plan.blocks, tests: 6))
        #expect(Double(plan.blocks * 5) * (plan.seconds * 1.5 + 0.1) <= 0.9 * 200.001)
    }

    @Test func rareAccessesNeedLongerRuns() throws {
        var baseline = ResultFixture.run
        baseline.duration = 2
        baseline.clients["ui"]?.completed = 100
        let catalog = MetricCatalog(clients: ["ui"])
        func neededSeconds(_ metric: String) throws -> Double {
            let metric = try ComparisonMetric(metric, in: catalog)
            return AdviceSchedule.neededSeconds(for: [metric], in: baseline)
        }
        // The median needs 20 accesses, and 50 accesses complete per second.
        #expect(try neededSeconds("ui.response.p99") == 0.8)
        #expect(try neededSeconds("ui.throughput") == 0.3)
    }
}
