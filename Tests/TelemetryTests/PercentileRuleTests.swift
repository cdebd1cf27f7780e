import Testing

@testable import Telemetry

struct PercentileRuleTests {
    @Test(
        arguments: [
            (50, 20), (90, 100), (95, 200), (99, 1_000), (99.9, 10_000), (99.99, 100_000),
        ] as [(Double, UInt64)]
    )
    func tenValuesLieBeyondAPercentile(percentile: Double, count: UInt64) {
        #expect(PercentileRule.neededCount(for: percentile) == count)
        #expect(PercentileRule.supports(percentile, count: count))
        #expect(!PercentileRule.supports(percentile, count: count - 1))
    }

    @Test func nothingLiesBeyondTheMaximum() {
        #expect(PercentileRule.neededCount(for: 100) == nil)
    }
}
