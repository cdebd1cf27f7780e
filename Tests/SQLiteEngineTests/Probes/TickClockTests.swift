import Telemetry
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct TickClockTests {
    @Test func theClockFollowsTheMonotonicClock() {
        // The clock is read between two readings of the monotonic clock, so that it does not matter
        // if the thread is preempted. The clock reads the counter after two calibrations.
        var clock = TickClock()
        let end = monotonicNanoseconds() + 120_000_000
        var largest: UInt64 = 0
        var after = monotonicNanoseconds()
        while after < end {
            let before = monotonicNanoseconds()
            let time = clock.now()
            after = monotonicNanoseconds()
            if time < before { largest = max(largest, before - time) }
            if time > after { largest = max(largest, time - after) }
        }
        #expect(largest < 2_000, "the clock was wrong by \(largest) ns")
    }

    @Test func aClockThatIsRarelyReadIsRight() {
        var clock = TickClock()
        for _ in 0..<3 {
            let before = monotonicNanoseconds()
            let time = clock.now()
            let after = monotonicNanoseconds()
            #expect(time + 2_000 > before && time < after + 2_000)
            Parker().park(until: after + 25_000_000)
        }
    }
}
