import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests the records of held connections, which use a bounded amount of memory.
struct HoldTests {
    @Test func shortConsecutiveHoldsShareAnEntry() {
        var log = HoldLog()
        // A second contains a million accesses that each take half a microsecond.
        for number in 0..<1_000_000 as Range<UInt64> {
            log.add(from: number * 1000, until: number * 1000 + 500)
        }
        #expect(log.entries.count <= 1001)
        #expect(log.entries.reduce(0) { $0 + $1.held } == 500_000_000)
        #expect(log.longest == 500)
    }

    @Test func aFullLogKeepsTheLatestEntries() {
        var log = HoldLog()
        for number in 0..<10_000 as Range<UInt64> {
            log.add(from: number * 10_000_000, until: number * 10_000_000 + 5_000_000)
        }
        #expect(log.entries.count == HoldLog.limit)
        #expect(log.entries.contains { $0.from == 9_999 * 10_000_000 })
        #expect(!log.entries.contains { $0.from == 0 })
    }

    @Test func aTimelineSumsHolds() {
        var line = HoldTimeline(at: milliseconds(1000))
        line.advance(to: milliseconds(1100))
        line.add(from: milliseconds(1010), until: milliseconds(1030), held: milliseconds(20))
        line.add(from: milliseconds(1020), until: milliseconds(1030), held: milliseconds(5))
        #expect(line.held(from: milliseconds(1000), until: milliseconds(1100)) == milliseconds(25))
        #expect(line.held(from: milliseconds(1010), until: milliseconds(1020)) == milliseconds(10))
        #expect(line.held(from: milliseconds(1025), until: milliseconds(1026)) == 1_500_000)
        #expect(line.held(from: milliseconds(1015) + 250_000, until: milliseconds(1016)) == 750_000)
        #expect(line.held(from: milliseconds(1040), until: milliseconds(1050)) == 0)
        #expect(line.held(from: milliseconds(1050), until: milliseconds(1040)) == 0)
    }

    @Test func aTimelineDropsOldHolds() {
        var line = HoldTimeline(at: 0)
        line.add(from: 0, until: milliseconds(1), held: milliseconds(1))
        #expect(line.held(from: 0, until: milliseconds(1)) == milliseconds(1))
        line.advance(to: milliseconds(HoldTimeline.length - 1))
        #expect(line.held(from: 0, until: milliseconds(1)) == milliseconds(1))
        line.advance(to: milliseconds(HoldTimeline.length))
        #expect(line.start == milliseconds(1))
        #expect(line.held(from: 0, until: milliseconds(100_000)) == 0)
        line.advance(to: milliseconds(1_000_000))
        #expect(line.held(from: 0, until: milliseconds(1_000_001)) == 0)
    }

    @Test func theSlowestAccessesAreKept() {
        var slow = SlowAccesses()
        var random = RandomStream(seed: 7, stream: "slow")
        var responses: [UInt64] = []
        for _ in 0..<10_000 {
            let response = UInt64(random.nextUnit() * 1e9)
            responses.append(response)
            slow.offer(.init(intended: 5, start: 6, entry: 7, end: 5 + response), cell: 0)
        }
        let kept = slow.accesses.map(\.response).sorted(by: >)
        #expect(kept == Array(responses.sorted(by: >).prefix(SlowAccesses.limit)))
    }
}
