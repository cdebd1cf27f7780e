import Telemetry

extension AccessGate {
    /// Whether ``retire()`` was called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// Returns the waiters that the status includes, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Reads the waiters while holding the lock, because a waiter that has left the queue may no
        // longer have a sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent && $0.isCounted }.map { $0.status(at: now) }
        }
    }

    /// Returns the time, in nanoseconds, during which at least one access in the status waited.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// The waits and holds that the status excludes, or `nil` if it includes all of them.
    var baseline: AccessBaseline? { restart.withLock { $0 } }

    /// Resets the waits, holds, and peaks of ``DatabaseStatus``.
    ///
    /// This method resets the peaks before the times, so the new peaks cover each wait in the new
    /// times. The exception is a wait that ends before this call but is recorded afterward.
    func restartTimes() {
        waiting.restart()
        inUsePeak.store(0, ordering: .sequentiallyConsistent)
        // Slots that are in use count toward the new peak.
        for slot in slots where slot.isTaken { recordUse(of: slot) }
        let baseline = AccessBaseline(of: self)
        restart.withLock { $0 = baseline }
    }
}
