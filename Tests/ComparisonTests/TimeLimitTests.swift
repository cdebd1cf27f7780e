import Telemetry
import Testing
import WorkloadEngine

@testable import Comparison
@testable import LoadTestSupport

/// Tests whether the time limit allows another block.
struct TimeLimitTests {
    /// A clock whose time a test sets.
    private struct Clock: RunClock {
        let time = Lock<UInt64>(1)

        func now() -> UInt64 { time.withLock { $0 } }
        func makeSleeper() -> any Sleeper { MonotonicClock().makeSleeper() }
    }

    @Test func aStepIsAllowedOnlyIfTheLongestStepWouldFit() {
        let clock = Clock()
        var limit = TimeLimit(.seconds(10), clock: clock)
        func fits(after time: UInt64) -> Bool {
            clock.time.withLock { $0 += milliseconds(time) }
            return limit.fitsAnotherStep()
        }
        #expect(fits(after: 4_000))
        #expect(fits(after: 2_000), "4 s remain for a step of at most 4 s")
        #expect(!fits(after: 1))
    }
}
