import Foundation
import Testing

@testable import poolgauge

@Suite(.timeLimit(.minutes(1)))
struct InterruptionTests {
    @Test func aSignalIsHandledFromTheStart() async {
        await #expect(processExitsWith: .success) { handleOwnSignal() }
    }
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
