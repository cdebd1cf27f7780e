import Telemetry
import Testing

@testable import Dashboard

struct BucketRangeTests {
    @Test func aRowShowsItsBounds() {
        let low = LatencyDistribution.bucket(of: 17_000_000)
        #expect(BucketRange(buckets: low..<low + 1).text == "16.8–21.0 ms")
        #expect(BucketRange(buckets: low..<low + 1).lowerBoundText == "≥16.8 ms")
        let micro = LatencyDistribution.bucket(of: 800_000)
        #expect(BucketRange(buckets: micro..<micro + 2).text == "786 µs–1.05 ms")
        #expect(BucketRange(buckets: 0..<1).text == "0–128 ns")
    }

    @Test func theLastBucketHasNoEnd() {
        let last = LatencyDistribution.bucketCount - 1
        let range = BucketRange(buckets: last..<last + 1)
        #expect(range.high == nil)
        #expect(range.text == range.lowerBoundText)
    }

    @Test func noRangeIsWiderThanItsColumn() {
        for low in 0..<LatencyDistribution.bucketCount - 1 {
            for count in [1, 2, 5, 20, 60] {
                let range = BucketRange(buckets: low..<low + count)
                #expect(range.text.count <= BucketRange.width)
            }
        }
    }
}
