import Testing

@testable import SQLiteWatch

struct RandomIntervalsTests {
    @Test func intervalsFollowFromTheSeed() {
        var one = RandomIntervals(seed: 7)
        var other = RandomIntervals(seed: 7)
        #expect(
            (0..<100).map { _ in one.next(mean: 1e7) }
                == (0..<100).map { _ in other.next(mean: 1e7) }
        )
    }

    @Test func theirMeanIsTheOneAskedFor() {
        var intervals = RandomIntervals(seed: 8)
        let sum = (0..<100_000).reduce(0.0) { sum, _ in sum + Double(intervals.next(mean: 1e7)) }
        #expect(abs(sum / 1e12 - 1) < 0.01)
    }

    /// A fixed rate would see one phase of the program alone.
    @Test func aProgramOfTheSameRateIsMeasured() {
        var intervals = RandomIntervals(seed: 9)
        var time: UInt64 = 0
        var counter = ShareCounter()
        var held = 0.0
        for _ in 0..<20_000 {
            time += intervals.next(mean: 1e8)
            counter.add(weight: 1e8)
            if time % 100_000_000 < 20_000_000 { held += 1e8 }
        }
        let estimate = counter.estimate(held: held)
        #expect(abs(estimate.value - 0.2) < 4 * estimate.error)
        #expect(estimate.error < 0.003)
    }

    @Test func costLimitsTheRate() {
        var rate = SampleRate(samplesPerSecond: 100, limit: 0.02)
        for _ in 0..<50 { rate.add(cost: 50_000) }
        #expect(rate.mean == 1e7)
        for _ in 0..<50 { rate.add(cost: 1_000_000) }
        #expect(rate.mean == 5e7)
        for _ in 0..<50 { rate.add(cost: 50_000) }
        #expect(rate.mean == 1e7)
    }

    @Test func aLowRateChangesAfterFewSamples() {
        var rate = SampleRate(samplesPerSecond: 100, limit: 0.02)
        for _ in 0..<50 { rate.add(cost: 20_000_000) }
        #expect(rate.mean == 1e9)
        for _ in 0..<5 { rate.add(cost: 50_000) }
        #expect(rate.mean == 1e7)
    }
}

struct ShareCounterTests {
    @Test func aChangeOfTheRateDoesNotBiasTheShare() {
        var counter = ShareCounter()
        var held = 0.0
        // 10 s at 100 Hz with the lock held, 10 s at 10 Hz without.
        for _ in 0..<1000 {
            counter.add(weight: 1e7)
            held += 1e7
        }
        for _ in 0..<100 { counter.add(weight: 1e8) }
        #expect(abs(counter.estimate(held: held).value - 0.5) < 1e-9)
    }

    @Test func theErrorIsThatOfABinomialShare() {
        var counter = ShareCounter()
        for _ in 0..<10_000 { counter.add(weight: 1) }
        #expect(abs(counter.estimate(held: 2_000).error - 0.004) < 0.000_01)
        #expect(counter.estimate(held: 0).error > 0)
        #expect(ShareCounter().estimate(held: 0) == WatchedEstimate(value: 0, error: 1))
    }
}
