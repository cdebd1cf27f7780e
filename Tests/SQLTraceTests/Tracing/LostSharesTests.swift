import Testing

@testable import SQLTrace

/// Tests the share of their runnable time that threads lose to probes.
struct LostSharesTests {
    /// The thread delays that the system reports.
    private final class Delays {
        var values: [Int32: UInt64] = [:]
    }

    @Test func waitsForAProcessorAreNotRunnableTime() {
        let delays = Delays()
        delays.values = [7: 500, 8: 0]
        var shares = LostShares { delays.values[$0] }
        #expect(shares.largest(of: [7: 20_000, 8: 10_000], in: 1_000_000) == 0.02)
        // Thread 7 could run for a tenth of the interval, and thread 8 for all of it.
        delays.values[7] = 900_500
        #expect(shares.largest(of: [7: 20_000, 8: 30_000], in: 1_000_000) == 0.2)
        #expect(shares.busiest == 7)
        // A sleeping thread does not wait for a processor.
        #expect(shares.largest(of: [7: 20_000], in: 1_000_000) == 0.02)
    }

    @Test func delaysDuringAPauseAreIgnored() {
        let delays = Delays()
        delays.values = [7: 0]
        var shares = LostShares { delays.values[$0] }
        _ = shares.largest(of: [7: 1], in: 1_000)
        delays.values[7] = 5_000_000
        shares.restart()
        delays.values[7] = 5_500_000
        #expect(shares.largest(of: [7: 10_000], in: 1_000_000) == 0.02)
    }

    @Test func aSystemWithoutDelaysCountsTheWholeTime() {
        var shares = LostShares { _ in nil }
        for _ in 0..<2 { #expect(shares.largest(of: [7: 50_000], in: 1_000_000) == 0.05) }
    }
}
