import Telemetry
import Testing

@testable import WorkloadEngine

struct LatencyHistogramTests {
    private func summary(of values: some Sequence<UInt64>) -> LatencySummary? {
        var histogram = LatencyHistogram()
        for value in values { histogram.count(value) }
        return histogram.summary
    }

    @Test func aPercentileNeedsTenValuesAboveIt() throws {
        let few = try #require(summary(of: 1...999))
        #expect(few.p95 != nil)
        #expect(few.p99 == nil)
        let enough = try #require(summary(of: 1...1000))
        #expect(enough.p99 != nil)
        #expect(enough.p999 == nil)
        #expect(summary(of: 1...19)?.p50 == nil)
        #expect(summary(of: 1...20)?.p50 != nil)
        #expect(summary(of: 1...10_000)?.p999 != nil)
        #expect(summary(of: 1...99_999)?.p9999 == nil)
        let p9999 = try #require(summary(of: 1...100_000)?.p9999)
        #expect(abs(Double(p9999) / 99_990 - 1) < 0.01)
    }

    @Test func anEmptyHistogramHasNoSummary() {
        #expect(summary(of: []) == nil)
    }

    @Test func valuesKeepTwoSignificantDigits() throws {
        let scaled = try #require(summary(of: (1...1000).map { $0 * 1_234_567 }))
        let p50 = try #require(scaled.p50)
        #expect(abs(Double(p50) / (500 * 1_234_567) - 1) < 0.01)
        #expect(scaled.max == 1_234_567_000)
        let small = try #require(summary(of: Array(repeating: 3, count: 100)))
        #expect(small.p50 == 3)
        #expect(small.mean == 3)
    }

    @Test func latenciesOverAnHourAreCountedAsAnHour() throws {
        let both = try #require(summary(of: [5, .max]))
        #expect(both.count == 2)
        #expect(both.max == LatencyHistogram.longest)
    }
}
