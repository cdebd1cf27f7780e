import Dispatch
import Telemetry
import TestSupport
import Testing

struct AtomicHistogramTests {
    private func summarize(_ values: [UInt64]) -> LatencySummary? {
        let histogram = AtomicHistogram()
        for value in values { histogram.record(value) }
        return AtomicHistogram.summary(of: [histogram])
    }

    /// Returns the smallest value that at least `permille` thousandths of all values do not exceed.
    private func exact(_ sorted: [UInt64], permille: Int) -> UInt64 {
        sorted[(sorted.count * permille + 999) / 1_000 - 1]
    }

    @Test func anEmptyHistogramHasNoSummary() {
        #expect(AtomicHistogram.summary(of: []) == nil)
        #expect(AtomicHistogram.summary(of: [AtomicHistogram()]) == nil)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func percentilesAreWithinABucketOfTheExactValues(seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        // The values range from nanoseconds to minutes, evenly on a logarithmic scale.
        let values = (0..<20_000).map { _ -> UInt64 in
            let bits = UInt64.random(in: 0..<36, using: &generator)
            return UInt64.random(in: 0...(1 << bits), using: &generator)
        }
        let sorted = values.sorted()
        let summary = try #require(summarize(values))
        let percentiles = [
            (500, summary.p50), (900, summary.p90), (950, summary.p95), (990, summary.p99),
            (999, summary.p999),
        ]
        for (permille, percentile) in percentiles {
            let expected = Double(exact(sorted, permille: permille))
            let actual = Double(try #require(percentile))
            #expect(abs(actual - expected) <= expected / 16, "permille \(permille)")
        }
        #expect(summary.count == 20_000)
        #expect(summary.max == sorted.last)
        #expect(summary.mean == values.reduce(0, +) / 20_000)
    }

    @Test func smallValuesAreExact() throws {
        let values = (0..<1_600).map { UInt64($0 % 16) }
        let summary = try #require(summarize(values))
        #expect(summary.p50 == exact(values.sorted(), permille: 500))
        #expect(summary.p90 == exact(values.sorted(), permille: 900))
        #expect(summary.p99 == exact(values.sorted(), permille: 990))
    }

    @Test func aPercentileNeverExceedsTheMaximum() throws {
        let summary = try #require(summarize([UInt64](repeating: 983_041, count: 100)))
        #expect(summary.p50 == 983_041)
        #expect(summary.max == 983_041)
    }

    @Test func veryLargeValuesAreCountedInTheLastBucket() throws {
        let values = [UInt64](repeating: 1 << 60, count: 8) + [1 << 44, (1 << 44) - 1]
        let summary = try #require(summarize(values))
        #expect(summary.count == 10)
        #expect(summary.max == 1 << 60)
    }

    @Test(
        arguments: [
            (19, 0), (20, 1), (99, 1), (100, 2), (199, 2), (200, 3), (999, 3), (1_000, 4),
            (9_999, 4), (10_000, 5), (99_999, 5), (100_000, 6),
        ]
    )
    func aPercentileRequiresTenValuesBeyondIt(count: Int, known: Int) throws {
        let summary = try #require(summarize((0..<count).map(UInt64.init)))
        let percentiles = [
            summary.p50, summary.p90, summary.p95, summary.p99, summary.p999, summary.p9999,
        ]
        #expect(percentiles.map { $0 != nil } == (0..<6).map { $0 < known })
    }

    @Test func histogramsAreSummed() throws {
        let first = AtomicHistogram()
        let second = AtomicHistogram()
        for value in 0..<100 as Range<UInt64> {
            first.record(value)
            second.recordExclusively(value + 100)
        }
        let summary = try #require(AtomicHistogram.summary(of: [first, second], zeros: 200))
        #expect(summary.count == 400)
        #expect(summary.max == 199)
        #expect(summary.mean == (0..<200).reduce(0, +) / 400)
        #expect(summary.p50 == 0)
        #expect(AtomicHistogram.summary(of: [], zeros: 30)?.p50 == 0)
    }

    @Test func bothMethodsOfRecordingAreEquivalent() {
        let first = AtomicHistogram()
        let second = AtomicHistogram()
        for exponent in 0..<64 {
            for value in [1 << exponent, (1 << exponent) + 1, (1 << exponent) - 1] as [UInt64] {
                first.record(value >> 1)
                second.recordExclusively(value >> 1)
            }
        }
        #expect(AtomicHistogram.summary(of: [first]) == AtomicHistogram.summary(of: [second]))
    }

    @Test(.timeLimit(.minutes(1)))
    func concurrentRecordsAreAllCounted() throws {
        let histogram = AtomicHistogram()
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for value in 0..<5_000 as Range<UInt64> {
                histogram.record(value + UInt64(worker))
                if value % 1_000 == 0 { _ = AtomicHistogram.summary(of: [histogram]) }
            }
        }
        let summary = try #require(AtomicHistogram.summary(of: [histogram]))
        #expect(summary.count == 40_000)
        #expect(summary.max == 5_006)
    }
}
