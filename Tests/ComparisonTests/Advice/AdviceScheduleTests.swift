import Scenarios
import Testing

@testable import Comparison

/// Tests how a search divides its time limit between screening and confirmation.
struct AdviceScheduleTests {
    private func schedule(
        _ limit: Double = 60,
        needed: Double = 0.3,
        representative: Double = 0
    ) -> AdviceSchedule {
        var schedule = AdviceSchedule(limit: limit)
        schedule.needed = needed
        schedule.representative = representative
        return schedule
    }

    private func screening(
        _ candidates: Int,
        needed: Double = 0.3
    ) -> (rounds: [Int], seconds: Double) {
        schedule(needed: needed).screening(candidates: candidates, overhead: 0.1)
    }

    @Test(arguments: [20.0, 60, 300, 3600], [1, 8, 20])
    func screeningLeavesTimeForConfirmation(limit: Double, candidates: Int) {
        let overhead = 0.4
        let schedule = schedule(limit)
        let plan = schedule.screening(candidates: candidates, overhead: overhead)
        #expect(!plan.rounds.isEmpty && plan.seconds >= 0.3)
        let runs = plan.rounds.reduce(1) { $0 + $1 + 1 }
        let spent = Double(runs) * (schedule.phases(measured: plan.seconds) + overhead)
        // The minimum run length applies if there are many candidates and little time.
        #expect(spent <= limit * 0.31 || plan.seconds == 0.3)
    }

    /// A client that comes every four seconds holds a lock.
    @Test(arguments: [60.0, 300], [6, 12])
    func eachRunContainsARareHolder(limit: Double, candidates: Int) throws {
        let schedule = schedule(limit, representative: 4.1)
        #expect(schedule.baseline >= 4.1)
        let plan = schedule.screening(candidates: candidates, overhead: 0.4)
        #expect(plan.seconds >= 4.1)
        let run = schedule.phases(measured: plan.seconds) + 0.4
        let count = try #require(plan.rounds.first)
        // Candidates are left out before runs get shorter.
        #expect(Double(count + 2) * run <= limit * 0.46)
        #expect(count == candidates || limit == 60)
        let confirmed = schedule.confirmation(
            candidates: 3,
            tests: { $0 * 2 },
            remaining: limit - 2 * run,
            overhead: 0.4
        )
        #expect(confirmed == nil || confirmed?.seconds ?? 0 >= 4.1)
        #expect((confirmed == nil) == (limit == 60))
        let needed = schedule.neededLimit(spent: 20, candidates: 6, tests: 2, overhead: 0.4)
        #expect((100...200).contains(needed))
    }

    @Test func anObviousEffectNeedsNeitherLongRunsNorManyBlocks() throws {
        func seconds(_ smallest: Double) throws -> Double {
            let plan = try #require(
                schedule(600).confirmation(
                    candidates: 1,
                    tests: { $0 },
                    remaining: 500,
                    overhead: 0.1,
                    improvements: [smallest]
                )
            )
            return Double(3 * plan.blocks) * plan.seconds
        }
        #expect(try seconds(100) <= 30)
        #expect(try seconds(1.2) > 100)
    }

    /// Rare accesses need long runs for a median, but an obvious effect is shown by few of them.
    @Test func anObviousEffectOnRareAccessesNeedsNoMedian() throws {
        var schedule = schedule(110)
        schedule.needed = 4.3
        func plan(_ smallest: Double) throws -> (candidates: Int, blocks: Int, seconds: Double) {
            try #require(
                schedule.confirmation(
                    candidates: 1,
                    tests: { $0 * 3 },
                    remaining: 85,
                    overhead: 1.5,
                    improvements: [smallest]
                )
            )
        }
        let least = BlockCount.minimum(tests: 3)
        #expect(try plan(1.2).blocks == least)
        #expect(try plan(4).blocks > least)
        #expect(try plan(4).seconds >= 1)
        let two = try #require(
            schedule.confirmation(
                candidates: 2,
                tests: { $0 * 3 },
                remaining: 85,
                overhead: 1.5,
                improvements: [6.1, 1.6]
            )
        )
        #expect(two.candidates == 1 && two.blocks > least)
    }

    @Test func theBetterHalfOfARoundAdvances() {
        #expect(screening(9).rounds == [9, 5, 4])
        #expect(screening(3).rounds == [3, 3, 3])
        #expect(screening(0).rounds.allSatisfy { $0 == 0 })
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
        schedule(needed: needed).confirmation(
            candidates: candidates,
            tests: { $0 * metrics },
            remaining: remaining,
            overhead: 0.1
        )
    }

    @Test func theRunsOfAConfirmationFitIntoTheRemainingTime() throws {
        for candidates in 1...3 {
            let plan = try #require(confirmation(candidates))
            let runs = Double((plan.candidates + 2) * plan.blocks)
            #expect(runs * (schedule().phases(measured: plan.seconds) + 0.1) <= 0.9 * 36.001)
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
        let run = schedule().phases(measured: plan.seconds) + 0.1
        #expect(Double(plan.blocks * 5) * run <= 0.9 * 200.001)
    }

    @Test func rareAccessesNeedLongerRuns() throws {
        var baseline = ResultFixture.run
        baseline.duration = 2
        baseline.clients["ui"]?.completed = 100
        baseline.clients["ui"]?.skipped = 0
        baseline.clients["ui"]?.unfinished = 0
        let catalog = MetricCatalog(clients: ["ui"])
        func neededSeconds(_ metric: String) throws -> Double {
            let metric = try ComparisonMetric(metric, in: catalog)
            return AdviceSchedule.neededSeconds(for: [metric], in: baseline)
        }
        // The median needs 20 accesses, and 50 accesses complete per second.
        #expect(try neededSeconds("ui.response.p99") == 0.8)
        #expect(try neededSeconds("ui.throughput") == 0.3)
        // Accesses that do not end count with their age.
        baseline.clients["ui"]?.completed = 20
        baseline.clients["ui"]?.unfinished = 80
        #expect(try neededSeconds("ui.response.p99") == 0.8)
    }
}
