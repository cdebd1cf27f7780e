import Testing

@testable import Telemetry

struct PercentileTests {
    @Test(
        arguments: [
            (50, 20), (90, 100), (95, 200), (99, 1_000), (99.9, 10_000), (99.99, 100_000),
        ] as [(Double, UInt64)]
    )
    func tenValuesLieBeyondAPercentile(percentile: Double, count: UInt64) {
        #expect(Percentile.neededCount(for: percentile) == count)
        #expect(Percentile.supports(percentile, count: count))
        #expect(!Percentile.supports(percentile, count: count - 1))
    }

    @Test func nothingLiesBeyondTheMaximum() {
        #expect(Percentile.neededCount(for: 100) == nil)
    }

    @Test func aPercentileIsAtTheNearestRank() throws {
        let counts = [0, 50, 0, 49, 1, 0]
        func bucket(_ percentile: Double) -> Int? {
            Percentile.place(of: percentile, in: counts)?.bucket
        }
        #expect([0, 50, 50.1, 99, 99.1, 100].map(bucket) == [1, 1, 3, 3, 4, 4])
        #expect(try #require(Percentile.place(of: 25, in: counts)).share == 0.5)
        #expect(Percentile.place(of: 50, in: [0, 0]) == nil)
    }

    @Test func roundingErrorsDoNotMoveAPercentile() {
        // 100,000 × 99.99 / 100 is slightly more than 99,990 in floating point.
        for (percentile, beyond) in [(99.9, 100), (99.99, 10)] {
            let counts = [100_000 - beyond, beyond]
            #expect(Percentile.place(of: percentile, in: counts)?.bucket == 0)
        }
    }
}
