import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct ParkerTests {
    @Test func anEarlyWakeUpIsKept() {
        let parker = Parker()
        parker.unpark()
        parker.park()
    }

    @Test func severalWakeUpsHaveTheEffectOfOne() {
        let parker = Parker()
        parker.unpark()
        parker.unpark()
        parker.park()
        let deadline = monotonicNanoseconds() + 1_000_000
        parker.park(until: deadline)
        #expect(monotonicNanoseconds() >= deadline)
    }

    @Test func parkReturnsImmediatelyAfterTheDeadline() {
        Parker().park(until: 1)
    }

    @Test func aThreadIsWoken() throws {
        let parker = Parker()
        let hasStarted = Gate()
        let sleeper = Background {
            hasStarted.open()
            parker.park()
            parker.park()
            return true
        }
        try hasStarted.wait()
        parker.unpark()
        try eventually {
            parker.unpark()
            return sleeper.isDone
        }
        #expect(try sleeper.value())
    }
}
