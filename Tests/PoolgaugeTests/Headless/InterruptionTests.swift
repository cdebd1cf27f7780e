import Foundation
import Testing

@testable import poolgauge

@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
    @Test func aSignalIsHeardFromTheFirstMomentOn() async {
        await #expect(processExitsWith: .success) { hearOwnSignal() }
    }
}

/// Sends this process a signal as soon as somebody listens, and waits until it is heard.
private func hearOwnSignal() {
    // A signal that is ignored would be waited for forever.
    alarm(20)
    let isHeard = DispatchSemaphore(value: 0)
    let interruption = Interruption({ isHeard.signal() })
    kill(getpid(), SIGTERM)
    isHeard.wait()
    withExtendedLifetime(interruption) {}
}
