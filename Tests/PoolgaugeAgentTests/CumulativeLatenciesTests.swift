import Telemetry
import Testing

@testable import PoolgaugeAgent

struct CumulativeLatenciesTests {
    private func latencies(_ counts: [UInt64], sum: UInt64 = 0) -> CumulativeLatencies {
        var summary = LatencySummary(count: 0, mean: 0, max: 0)
        summary.buckets = LatencyBuckets(sum: sum, counts: counts)
        return CumulativeLatencies(summary)
    }

    @Test func countsAreCumulative() {
        let latencies = latencies([1, 0, 2], sum: 2_000_000_000)
        #expect(latencies.counts.prefix(4) == [1, 1, 3, 3])
        #expect(latencies.counts.count == LatencyBuckets.bounds.count)
        #expect(latencies.count == 3)
        #expect(latencies.sum == 2)
    }

    @Test func longerLatenciesCountOnlyInTheTotal() {
        let latencies = latencies(Array(repeating: 1, count: LatencyBuckets.bounds.count + 2))
        #expect(latencies.counts.last == UInt64(LatencyBuckets.bounds.count))
        #expect(latencies.count == UInt64(LatencyBuckets.bounds.count + 2))
    }

    @Test func aMomentaryDecreaseIsCorrected() {
        let earlier = latencies([10, 2], sum: 100)
        // An access that waited has left the first bucket, but is not counted in its new bucket
        // yet.
        let now = latencies([9, 3], sum: 90).following(earlier)
        #expect(now.counts.prefix(2) == [10, 12])
        #expect(now.sum == earlier.sum)
    }

    @Test func aRestartIsNotCorrected() {
        let restarted = latencies([2, 1], sum: 5)
        #expect(restarted.following(latencies([100], sum: 900)) == restarted)
    }

    @Test func hugeCountsOfAPublisherDoNotTrap() {
        #expect(latencies([.max, .max, 5]).count == 3)
    }
}
