import Telemetry

/// The values that a status reports about a gate.
extension AccessGate {
    /// Whether ``retire()`` was called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// The waiters, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Inside the lock, because a waiter outside the queue may have lost its sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent }.map { $0.status(at: now) }
        }
    }

    /// The time during which at least one access waited, in nanoseconds.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    /// The number of connections that could not be opened.
    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    /// The largest number of open connections.
    ///
    /// The gate opens a connection only when all others are in use.
    var peak: Int { openedPeak.load(ordering: .relaxed) }

    /// The times of accesses that had to wait, and their number.
    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// The waits and holds that the status leaves out; nil when it includes all.
    var baseline: AccessBaseline? { restart.withLock { $0 } }

    /// Restarts the waits and holds of ``DatabaseStatus`` from zero.
    func restartTimes() {
        let baseline = AccessBaseline(of: self)
        restart.withLock { $0 = baseline }
    }
}
