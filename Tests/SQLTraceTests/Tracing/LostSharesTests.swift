import Testing

@testable import SQLTrace

/// Tests the share of their running time that threads lose to probes.
struct LostSharesTests {
    /// The running times that the system reports.
    private final class Times {
        var values: [Int32: UInt64] = [:]
    }

    @Test func aShareRefersToTheRunningTime() {
        let times = Times()
        times.values = [7: 500, 8: 0]
        var shares = LostShares { times.values[$0] }
        let lost: [Int32: Double] = [7: 20_000, 8: 30_000]
        // The running times at the start are unknown.
        #expect(shares.largest(of: lost, in: 1_000_000, limit: 0.05).share == 0.03)
        times.values = [7: 100_500, 8: 600_000]
        #expect(shares.largest(of: lost, in: 1_000_000, limit: 0.05).share == 0.2)
    }

    @Test func aSmallLossRefersToTheElapsedTime() {
        let times = Times()
        times.values = [7: 0]
        var shares = LostShares { times.values[$0] }
        _ = shares.largest(of: [7: 1], in: 1_000_000, limit: 0.05)
        times.values = [7: 20_000]
        #expect(shares.largest(of: [7: 9_000], in: 1_000_000, limit: 0.05).share == 0.009)
        times.values = [7: 40_000]
        #expect(shares.largest(of: [7: 11_000], in: 1_000_000, limit: 0.05).share == 0.55)
    }

    @Test func timesDuringAPauseAreIgnored() {
        let times = Times()
        times.values = [7: 0]
        var shares = LostShares { times.values[$0] }
        _ = shares.largest(of: [7: 1], in: 1_000, limit: 0.05)
        times.values[7] = 5_000_000
        shares.restart()
        times.values[7] = 5_500_000
        #expect(shares.largest(of: [7: 20_000], in: 1_000_000, limit: 0.05).share == 0.04)
    }

    @Test func aSystemWithoutTimesCountsTheWholeTime() {
        var shares = LostShares { _ in nil }
        for _ in 0..<2 {
            #expect(shares.largest(of: [7: 50_000], in: 1_000_000, limit: 0.05).share == 0.05)
        }
    }
}
