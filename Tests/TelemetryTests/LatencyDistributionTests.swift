import Telemetry
import Testing

struct LatencyDistributionTests {
    @Test func bucketsFollowEachOtherWithoutGaps() {
        #expect(LatencyDistribution.lowerBound(of: 0) == 0)
        #expect(LatencyDistribution.lowerBound(of: 1) == 128)
        for bucket in 1..<LatencyDistribution.bucketCount {
            let low = LatencyDistribution.lowerBound(of: bucket)
            #expect(LatencyDistribution.bucket(of: low) == bucket)
            #expect(LatencyDistribution.bucket(of: low - 1) == bucket - 1)
            if bucket > 1 {
                let before = LatencyDistribution.lowerBound(of: bucket - 1)
                #expect(Double(low) / Double(before) <= 1.25 + 1e-9)
            }
        }
        #expect(LatencyDistribution.bucket(of: .max) == LatencyDistribution.bucketCount - 1)
    }

    @Test func countsAddUpInAnyOrder() {
        var one = LatencyDistribution()
        for value: UInt64 in [50_000, 200, 9_000_000_000, 200, 0] { one.add(value) }
        var other = LatencyDistribution()
        for value: UInt64 in [0, 200, 200, 50_000] { other.add(value) }
        other.add(9_000_000_000)
        #expect(one == other && one.count == 5)
        #expect(one[LatencyDistribution.bucket(of: 200)] == 2)
        one.add(other)
        #expect(one.count == 10)
        #expect(one[LatencyDistribution.bucketCount - 1] == 0)
    }

    @Test func countsSaturate() {
        var one = LatencyDistribution()
        one.add(1_000, count: .max / 2)
        one.add(1_000, count: 5)
        #expect(one.count == UInt64(UInt32.max))
    }
}
