import Foundation
import Synchronization
import Testing

@testable import poolgauge

@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
    @Test func aSignalIsHandledFromTheStart() async {
        await #expect(processExitsWith: .success) { handleOwnSignal() }
    }

    @Test func aSecondInterruptionReceivesSignalsToo() async {
        await #expect(processExitsWith: .success) {
            handleOwnSignal()
            handleOwnSignal()
        }
    }

    @Test func eachPartOfACommandHandlesItsOwnSignal() async {
        await #expect(processExitsWith: .success) { endTwoParts() }
    }

    @Test func aSignalBetweenTwoPartsCleansUpAndEndsTheProcess() async {
        await #expect(processExitsWith: .exitCode(7)) { endBetweenParts() }
    }
}

/// Ends two parts of a command with one signal each.
private func endTwoParts() {
    alarm(20)
    let isReceived = DispatchSemaphore(value: 0)
    let clock = Clock()
    let interruption = Interruption(clock: { clock.now }, { isReceived.signal() })
    kill(getpid(), SIGTERM)
    isReceived.wait()
    precondition(interruption.signal == SIGTERM)
    let isReceivedAgain = DispatchSemaphore(value: 0)
    interruption.begin { isReceivedAgain.signal() }
    precondition(interruption.signal == nil)
    clock.advance()
    kill(getpid(), SIGINT)
    isReceivedAgain.wait()
    precondition(interruption.signal == SIGINT)
}

/// A clock that advances only when a test advances it.
private final class Clock: Sendable {
    private let time = Atomic<UInt64>(1)
    var now: UInt64 { time.load(ordering: .relaxed) }
    func advance() { time.add(10_000_000_000, ordering: .relaxed) }
}

/// Receives a signal between two parts, and exits with the status of the cleanup.
private func endBetweenParts() {
    alarm(20)
    let interruption = Interruption(cleanUp: { _exit(7) }, nil)
    kill(getpid(), SIGTERM)
    withExtendedLifetime(interruption) { while true { pause() } }
}

/// Sends a signal to this process once a handler exists, and waits until it is handled.
private func handleOwnSignal() {
    // Without the alarm, the test would wait forever if the signal were ignored.
    alarm(20)
    let isHandled = DispatchSemaphore(value: 0)
    let interruption = Interruption({ isHandled.signal() })
    kill(getpid(), SIGTERM)
    isHandled.wait()
    withExtendedLifetime(interruption) {}
}
