import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

struct GeneratorWatchTests {
    private func reason(
        shareOfProcess: Double = 0,
        shareOfProcessor: Double = 0,
        lag: UInt64? = nil
    ) -> String? {
        GeneratorWatch.reason(
            shareOfProcess: shareOfProcess,
            shareOfProcessor: shareOfProcessor,
            lag: lag
        )
    }

    @Test func aGeneratorThatWorksMoreThanItsTargetIsTheBottleneck() {
        #expect(reason(shareOfProcess: 0.6, shareOfProcessor: 0.9) != nil)
        #expect(reason(shareOfProcess: 0.4, shareOfProcessor: 0.9) == nil)
        #expect(reason(shareOfProcess: 0.6, shareOfProcessor: 0.02) == nil, "it mostly sleeps")
    }

    @Test func aGeneratorThatWakesUpLateIsTheBottleneck() {
        #expect(reason(lag: milliseconds(60))?.contains("60.0 ms") == true)
        #expect(reason(lag: milliseconds(6)) == nil)
    }

    @Test func eachReasonIsReported() {
        let both = reason(shareOfProcess: 0.6, shareOfProcessor: 0.9, lag: milliseconds(60))
        #expect(both?.contains("used 60% of the processor time") == true)
        #expect(both?.contains("; idle workers woke late") == true)
    }

    @Test func theCostOfTheGeneratorIsMeasured() throws {
        #expect(try GeneratorCost.measure() > 0)
    }
}
