import Testing

@testable import SQLTrace

/// Tests the period over which a report's rates are calculated.
struct RatePeriodTests {
    private let second: UInt64 = 1_000_000_000

    @Test func withoutGapsAllTimeIsCounted() {
        var period = RatePeriod(start: second)
        #expect(period.end(at: 3 * second, gapStart: nil) == 2)
        #expect(period.end(at: 3 * second, gapStart: nil) == 0)
        #expect(period.end(at: 3 * second + 50_000_000, gapStart: nil) == 0.05)
    }

    @Test func gapsAreExcluded() {
        var period = RatePeriod(start: second)
        period.exclude(0...2 * second)
        period.exclude(3 * second...4 * second)
        // The third gap has not ended.
        #expect(period.end(at: 6 * second, gapStart: 5 * second) == 2)
        // The first second of this gap belongs to the previous period.
        period.exclude(5 * second...7 * second)
        #expect(period.end(at: 9 * second, gapStart: nil) == 2)
    }

    @Test func aPeriodContinuesUntilItIsLongEnough() {
        var period = RatePeriod(start: 0)
        #expect(period.end(at: second, gapStart: second / 20) == nil)
        period.exclude(second / 20...2 * second)
        #expect(period.end(at: 3 * second, gapStart: nil) == 1.05)
    }
}
