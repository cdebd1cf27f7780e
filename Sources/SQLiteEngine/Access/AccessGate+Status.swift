import Telemetry

/// What can be seen of a gate.
extension AccessGate {
    /// Whether ``retire()`` was called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// Those who wait, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Inside the lock: outside of it a waiter may lose its sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent }.map { $0.status(at: now) }
        }
    }

    /// The time in which somebody waited, in nanoseconds.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    /// How many connections could not be opened.
    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    /// The waits of those who had to wait, and how many there were.
    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// What status leaves out of waits and holds; nil when nothing.
    var baseline: AccessBaseline? { restart.withLock { $0 } }

    /// Restarts the waits, holds and peaks of ``DatabaseStatus``.
    ///
    /// The peaks come first, so that a wait of the new times is part of the new peak, unless it ended
    /// before this call and was recorded after it.
    func restartTimes() {
        waiting.restart()
        inUsePeak.store(0, ordering: .sequentiallyConsistent)
        // What is in use stays in use.
        for slot in slots where slot.isTaken { noteUse(of: slot) }
        let baseline = AccessBaseline(of: self)
        restart.withLock { $0 = baseline }
    }
}
