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
                let previous = LatencyDistribution.lowerBound(of: bucket - 1)
                #expect(Double(low) / Double(previous) <= 1.25 + 1e-9)
            }
        }
        #expect(LatencyDistribution.bucket(of: .max) == LatencyDistribution.bucketCount - 1)
    }

    @Test func countsAddUpInAnyOrder() {
        var first = LatencyDistribution()
        for value: UInt64 in [50_000, 200, 9_000_000_000, 200, 0] { first.add(value) }
        var second = LatencyDistribution()
        for value: UInt64 in [0, 200, 200, 50_000] { second.add(value) }
        second.add(9_000_000_000)
        #expect(first == second && first.count == 5)
        #expect(first[LatencyDistribution.bucket(of: 200)] == 2)
        first.add(second)
        #expect(first.count == 10)
        #expect(first[LatencyDistribution.bucketCount - 1] == 0)
    }

    @Test func percentilesAreInterpolatedWithinABucket() throws {
        var distribution = LatencyDistribution()
        distribution.add(1_000, count: 80)
        #expect(distribution.percentile(50).map { (896...1_024).contains($0) } == true)
        distribution.add(1_000_000, count: 20)
        #expect(distribution.percentile(90).map { (917_504...1_048_576).contains($0) } == true)
        #expect(distribution.upperBound == 1_048_576)
    }

    @Test func aPercentileRequiresTenValuesBeyondIt() {
        var distribution = LatencyDistribution()
        distribution.add(1_000, count: 99)
        #expect(distribution.percentile(90) == nil)
        distribution.add(1_000)
        #expect(distribution.percentile(90) != nil)
    }

    @Test func countsSaturate() {
        var first = LatencyDistribution()
        first.add(1_000, count: .max / 2)
        first.add(1_000, count: 5)
        #expect(first.count == UInt64(UInt32.max))
    }
}
