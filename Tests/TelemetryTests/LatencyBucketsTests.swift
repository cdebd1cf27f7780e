import Foundation
import Testing

@testable import Telemetry

struct LatencyBucketsTests {
    @Test func boundsRangeFromAMicrosecondToTenSeconds() {
        #expect(LatencyBuckets.bounds.prefix(4) == [1_000, 2_500, 5_000, 10_000])
        #expect(LatencyBuckets.bounds.last == 10_000_000_000)
        #expect(LatencyBuckets.bounds.count == 22)
        #expect(LatencyBuckets.bounds == LatencyBuckets.bounds.sorted())
    }

    @Test func aBucketContainsItsUpperBound() {
        #expect(LatencyBuckets.bucket(of: 0) == 0)
        #expect(LatencyBuckets.bucket(of: 1_000) == 0)
        #expect(LatencyBuckets.bucket(of: 1_001) == 1)
        #expect(LatencyBuckets.bucket(of: .max) == LatencyBuckets.bounds.count)
    }

    @Test func aSummaryHasBucketsOnlyOnRequest() throws {
        let histogram = AtomicHistogram()
        for value in [0, 900, 900, 3_000, 7_000_000_000, 60_000_000_000] as [UInt64] {
            histogram.record(value)
        }
        #expect(AtomicHistogram.summary(of: [histogram])?.buckets == nil)
        let summary = AtomicHistogram.summary(of: [histogram], zeros: 2, hasBuckets: true)
        let buckets = try #require(summary?.buckets)
        #expect(buckets.sum == 67_000_004_800)
        #expect(buckets.counts[0] == 5)
        #expect(buckets.counts[2] == 1)
        #expect(buckets.counts[21] == 1)
        #expect(buckets.counts[22] == 1)
        #expect(buckets.counts.reduce(0, +) == summary?.count)
    }

    @Test func noBucketContainsValuesAboveItsBound() {
        // Tests values just above and below each bound.
        for (index, bound) in LatencyBuckets.bounds.enumerated() {
            let above = AtomicHistogram()
            above.record(bound + 1)
            let summary = AtomicHistogram.summary(of: [above], hasBuckets: true)
            #expect(summary?.buckets?.counts.firstIndex(of: 1) == index + 1)
            // A histogram's buckets are 6.25% wide.
            let below = AtomicHistogram()
            below.record(bound - bound / 15)
            let other = AtomicHistogram.summary(of: [below], hasBuckets: true)
            #expect(other?.buckets?.counts.firstIndex(of: 1) == index)
        }
    }

    @Test func earlierCountsAreSubtracted() throws {
        let histogram = AtomicHistogram()
        histogram.record(100)
        let earlier = AtomicHistogram.Counts(of: [histogram])
        histogram.record(2_000)
        let summary = AtomicHistogram.summary(of: [histogram], without: earlier, hasBuckets: true)
        #expect(summary?.buckets == LatencyBuckets(sum: 2_000, counts: [0, 1]))
    }

    @Test func bucketsAreAnAdditionalKey() throws {
        var summary = LatencySummary(count: 1, mean: 2, max: 2)
        let json = try JSONEncoder().encode(summary)
        #expect(!String(decoding: json, as: UTF8.self).contains("buckets"))
        summary.buckets = LatencyBuckets(sum: 2, counts: [1])
        #expect(
            try JSONDecoder().decode(LatencySummary.self, from: JSONEncoder().encode(summary))
                == summary
        )
        #expect(summary.withoutBuckets == LatencySummary(count: 1, mean: 2, max: 2))
    }
}
