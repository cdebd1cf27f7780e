import Synchronization
import Telemetry

/// The cancellation state of a running access.
final class AccessCancellation: Sendable {
    private struct State {
        var slot: AccessSlot?
        /// Whether the running code, such as an observer's callback, must not be interrupted.
        var isPaused = false
    }

    private let state = Lock(State())
    private let wasCanceled = Atomic<Bool>(false)

    func begin(on slot: AccessSlot) { state.withLock { $0.slot = slot } }

    /// Ends the access and prevents later interrupts.
    func end() { state.withLock { $0.slot = nil } }

    /// Prevents interrupts until ``resume()`` is called.
    ///
    /// The access calls this method after its transaction ends, before it notifies observers.
    func pause() { state.withLock { $0.isPaused = true } }

    func resume() { state.withLock { $0.isPaused = false } }

    /// Marks the access as canceled and interrupts its statements until the access ends.
    ///
    /// One interrupt is not enough. SQLite discards an interrupt that arrives between the access's
    /// last check for cancellation and the start of its next statement. Later interrupts affect
    /// only the statements of this canceled access.
    func cancel() {
        wasCanceled.store(true, ordering: .releasing)
        interrupt(againAfter: EngineTimings.firstInterruptPause)
    }

    private func interrupt(againAfter pause: UInt64) {
        // Interrupts while holding the lock, so that the interrupt cannot affect the connection's
        // next access.
        let isRunning = state.withLock { state in
            if !state.isPaused { _ = state.slot?.interrupt() }
            return state.slot != nil
        }
        guard isRunning else { return }
        DelayedWork.run(after: .nanoseconds(pause)) { [self] in
            interrupt(againAfter: min(pause * 2, EngineTimings.longestInterruptPause))
        }
    }

    var isCanceled: Bool { wasCanceled.load(ordering: .acquiring) }

    func check() throws { if isCanceled { throw CancellationError() } }
}
