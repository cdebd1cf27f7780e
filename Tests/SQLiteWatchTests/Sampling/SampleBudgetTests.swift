import Findings
import Testing

@testable import SQLiteWatch

extension SampleBudget {
    /// Counts one sample, and its list if the sample includes one.
    fileprivate mutating func add(cost: UInt64, list: UInt64?) {
        add(cost: cost, of: 1, listCost: list ?? 0, of: list == nil ? 0 : 1)
    }
}

struct SampleBudgetTests {
    private func budget(limit: Double = 0.02) -> SampleBudget {
        SampleBudget(samplesPerSecond: 100, limit: limit)
    }

    @Test func cheapSamplesKeepTheFullRate() {
        var budget = budget()
        for _ in 0..<100 { budget.add(cost: 50_000, list: 20_000) }
        #expect(budget.slot == 1e7)
        // The list is read ten times per second.
        #expect(budget.group == 10)
    }

    /// With many processes, the list is the most expensive part, but the sampling rate does not
    /// change.
    @Test func anExpensiveListIsReadLessOften() {
        var budget = budget()
        for number in 0..<500 {
            budget.add(cost: 50_000, list: number % budget.group == 0 ? 2_000_000 : nil)
        }
        #expect(budget.slot == 1e7)
        // The samples take 0.5% of a core, which leaves 1.5% for lists of 2 ms, or 7.5 lists per
        // second.
        #expect(budget.group == 14)
    }

    @Test func expensiveSamplesLowerTheRate() {
        var budget = budget()
        for _ in 0..<100 { budget.add(cost: 1_000_000, list: nil) }
        // The samples take 1 ms each and may take 70% of the limit.
        #expect(abs(budget.slot - 1e6 / 0.014) < 1)
        for _ in 0..<100 { budget.add(cost: 50_000, list: nil) }
        #expect(budget.slot == 1e7)
    }

    @Test func aLowRateChangesAfterFewSamples() {
        var budget = budget()
        for _ in 0..<50 { budget.add(cost: 100_000_000, list: 100_000_000) }
        #expect(budget.slot == 1e9)
        #expect(budget.group == 1)
        for _ in 0..<5 { budget.add(cost: 50_000, list: 50_000) }
        #expect(budget.slot == 1e7)
    }

    @Test func theListIsReadAtLeastOncePerSecond() {
        var budget = budget(limit: 0.001)
        for _ in 0..<500 { budget.add(cost: 1_000, list: 50_000_000) }
        #expect(budget.slot * Double(budget.group) <= 1e9)
    }
}

struct ShareCounterTests {
    @Test func aRateChangeDoesNotBiasTheShare() {
        var counter = ShareCounter()
        var held = 0.0
        // The lock is held for 10 s at 100 Hz. It is then free for 10 s at 10 Hz.
        for _ in 0..<1000 {
            counter.add(weight: 1e7)
            held += 1e7
        }
        for _ in 0..<100 { counter.add(weight: 1e8) }
        #expect(abs(counter.estimate(held: held).value - 0.5) < 1e-9)
    }

    @Test func theErrorMatchesABinomialShare() {
        var counter = ShareCounter()
        for _ in 0..<10_000 { counter.add(weight: 1) }
        #expect(abs(counter.estimate(held: 2_000).error - 0.004) < 0.000_01)
        #expect(counter.estimate(held: 0).error > 0)
        #expect(ShareCounter().estimate(held: 0) == WatchedEstimate(value: 0, error: 1))
    }

    @Test func aSampleWithoutWeightIsNotCounted() {
        var counter = ShareCounter()
        counter.add(weight: 0)
        #expect(counter.samples == 0)
    }
}
