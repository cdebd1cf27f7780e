import Telemetry

/// The values that ``DatabaseStatus`` reports about a gate.
extension AccessGate {
    /// Whether ``retire()`` was called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// Returns the counted waiters, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Reads the waiters while holding the lock, because a waiter that has left the queue may no
        // longer have a sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent && $0.isCounted }.map { $0.status(at: now) }
        }
    }

    /// Returns the time during which at least one counted access waited, in nanoseconds.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    /// The number of connections that could not be opened.
    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    /// The durations of the waits, and their number.
    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// The waits and holds that the status excludes, or `nil` if it includes all of them.
    var baseline: AccessBaseline? { restart.withLock { $0 } }

    /// Resets the waits, holds, and peaks of ``DatabaseStatus``.
    ///
    /// The peaks are reset first, so the new peak includes each wait in the new times, except a
    /// wait that ended before this call and is recorded after it.
    func restartTimes() {
        waiting.restart()
        inUsePeak.store(0, ordering: .sequentiallyConsistent)
        // Slots that are in use count toward the new peak.
        for slot in slots where slot.isTaken { recordUse(of: slot) }
        let baseline = AccessBaseline(of: self)
        restart.withLock { $0 = baseline }
    }
}
