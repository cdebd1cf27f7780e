import Foundation
import Synchronization
import Testing

@testable import poolgauge

@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
    @Test func aSignalIsHandledFromTheStart() async {
        await #expect(processExitsWith: .success) { handleOwnSignal() }
    }

    @Test func aSecondInterruptionHearsSignalsToo() async {
        await #expect(processExitsWith: .success) {
            hearOwnSignal()
            hearOwnSignal()
        }
    }

    @Test func eachPartOfACommandIsEndedByASignalOfItsOwn() async {
        await #expect(processExitsWith: .success) { endTwoParts() }
    }

    @Test func aSignalBetweenTwoPartsCleansUpAndEndsTheProcess() async {
        await #expect(processExitsWith: .exitCode(7)) { endBetweenParts() }
    }
}

/// Ends two parts with one signal each.
private func endTwoParts() {
    alarm(20)
    let isHeard = DispatchSemaphore(value: 0)
    let clock = Clock()
    let interruption = Interruption(clock: { clock.now }, { isHeard.signal() })
    kill(getpid(), SIGTERM)
    isHeard.wait()
    precondition(interruption.signal == SIGTERM)
    let isHeardAgain = DispatchSemaphore(value: 0)
    interruption.begin { isHeardAgain.signal() }
    precondition(interruption.signal == nil)
    clock.advance()
    kill(getpid(), SIGINT)
    isHeardAgain.wait()
    precondition(interruption.signal == SIGINT)
}

/// A clock that stands still between two calls.
private final class Clock: Sendable {
    private let time = Atomic<UInt64>(1)
    var now: UInt64 { time.load(ordering: .relaxed) }
    func advance() { time.add(10_000_000_000, ordering: .relaxed) }
}

/// Receives a signal for which nothing is to be stopped, and ends with the status of its cleaning.
private func endBetweenParts() {
    alarm(20)
    let interruption = Interruption(cleanUp: { _exit(7) }, nil)
    kill(getpid(), SIGTERM)
    withExtendedLifetime(interruption) { while true { pause() } }
}

/// Sends this process a signal once a handler exists, and waits until it is handled.
private func handleOwnSignal() {
    // The test would wait forever for an ignored signal.
    alarm(20)
    let isHandled = DispatchSemaphore(value: 0)
    let interruption = Interruption({ isHandled.signal() })
    kill(getpid(), SIGTERM)
    isHandled.wait()
    withExtendedLifetime(interruption) {}
}
