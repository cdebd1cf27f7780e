import Testing

@testable import WorkloadEngine

struct GeneratorWatchTests {
    @Test func aGeneratorThatUsesHalfTheProcessorIsTheBottleneck() {
        #expect(GeneratorWatch.reason(share: 0.6, accesses: 1_000_000, lag: nil) != nil)
        #expect(GeneratorWatch.reason(share: 0.4, accesses: 1_000_000, lag: nil) == nil)
        #expect(GeneratorWatch.reason(share: 0.6, accesses: 100, lag: nil) == nil)
    }

    @Test func aGeneratorThatWakesUpLateIsTheBottleneck() {
        let reason = GeneratorWatch.reason(share: 0.1, accesses: 1000, lag: milliseconds(30))
        #expect(reason?.contains("30.0 ms") == true)
        #expect(GeneratorWatch.reason(share: 0.1, accesses: 1000, lag: milliseconds(3)) == nil)
    }

    @Test func theGeneratorsOwnCostIsMeasured() throws {
        #expect(try GeneratorCost.measure() > 0)
    }
}
