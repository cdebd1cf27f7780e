import Telemetry
import Testing

@testable import WorkloadEngine

/// Tests of the decision whether another block fits.
struct TimeLimitTests {
    /// A clock that a test sets.
    private struct Clock: RunClock {
        let time = Lock<UInt64>(1)

        func now() -> UInt64 { time.withLock { $0 } }
        func makeSleeper() -> any Sleeper { MonotonicClock().makeSleeper() }
    }

    @Test func aStepAsLongAsTheLongestOneMustFit() {
        let clock = Clock()
        var limit = TimeLimit(.seconds(10), clock: clock)
        func fits(after time: UInt64) -> Bool {
            clock.time.withLock { $0 += milliseconds(time) }
            return limit.fitsAnotherStep()
        }
        #expect(fits(after: 4_000))
        #expect(fits(after: 2_000), "4 s are left for at most 4 s")
        #expect(!fits(after: 1))
    }
}
