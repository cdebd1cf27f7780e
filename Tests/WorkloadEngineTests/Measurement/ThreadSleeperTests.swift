import Foundation
import Testing

@testable import WorkloadEngine

@Suite(.timeLimit(.minutes(5)))
struct ThreadSleeperTests {
    @Test func aSleepEndsAtItsDeadlineAndNotBefore() {
        let clock = MonotonicClock()
        let sleeper = clock.makeSleeper()
        for _ in 1...5 {
            let deadline = clock.now() + 2_000_000
            sleeper.sleep(until: deadline)
            #expect(clock.now() >= deadline)
        }
    }

    @Test func aWakeUpBeforeASleepIsNotLost() {
        let sleeper = ThreadSleeper()
        sleeper.wake()
        sleeper.sleep(until: .max)
    }

    @Test func aWakeUpEndsASleep() async {
        let sleeper = ThreadSleeper()
        await withCheckedContinuation { done in
            Thread {
                sleeper.sleep(until: .max)
                done.resume()
            }.start()
            sleeper.wake()
        }
    }
}
