#if Metrics
import Telemetry
import Testing

@testable import SQLiteEngineMetrics

struct NewLatenciesTests {
    private func summary(of nanoseconds: [UInt64]) -> LatencySummary {
        let histogram = AtomicHistogram()
        for value in nanoseconds { histogram.record(value) }
        return AtomicHistogram.summary(of: [histogram], hasBuckets: true)
            ?? LatencySummary(count: 0, mean: 0, max: 0)
    }

    @Test func newTimesHaveTheBucketsAndTheSumOfTheLatencies() throws {
        let earlier = summary(of: [3_000, 3_000])
        let now = summary(of: [3_000, 3_000, 3_100, 4_000, 30_000, 2_000_000])
        let new = NewLatencies(now, since: earlier)
        #expect(new.values.map(\.count) == [2, 1, 1])
        for (value, bounds) in zip(
            new.values.map(\.nanoseconds),
            [2_501...5_000, 25_001...50_000, 1_000_001...2_500_000] as [ClosedRange<UInt64>]
        ) {
            #expect(bounds.contains(value))
        }
        let sum = new.values.reduce(0) { $0 + $1.nanoseconds * $1.count }
        #expect((2_037_090...2_037_110).contains(sum))
    }

    @Test func aLatencyAboveAllBoundsIsAtMostTheMaximum() {
        let new = NewLatencies(summary(of: [20_000_000_000]), since: nil)
        #expect(new.values.map(\.count) == [1])
        #expect(new.values.first?.nanoseconds == 20_000_000_000)
    }

    @Test func nothingIsNewWithoutAChangeOrWithoutBuckets() {
        let now = summary(of: [3_000, 40_000])
        #expect(NewLatencies(now, since: now).values.isEmpty)
        #expect(NewLatencies(now.withoutBuckets, since: nil).values.isEmpty)
    }

    @Test func lowerCountsAreNotCountedAgain() {
        let (many, few) = (summary(of: [3_000, 3_000, 3_000]), summary(of: [3_000]))
        let decreased = NewLatencies(few, since: many)
        #expect(decreased.values.isEmpty)
        #expect(NewLatencies(many, since: decreased.total).values.isEmpty)
    }
}
#endif
