import Telemetry

/// The accesses of one client that others may interrupt, and what came of it.
final class ClientInterrupts: Sendable {
    private struct State: Sendable {
        var running: [RunningAccess] = []
        var status = InterruptStatus()
        var latency = LatencyHistogram()
    }

    private let state = Lock(State())

    /// What came of the interrupts so far; nil when there were none.
    var status: InterruptStatus? {
        state.withLock { state in
            guard state.status.requested > 0 else { return nil }
            var status = state.status
            status.latency = state.latency.summary
            return status
        }
    }

    /// Adds an access that begins to wait for its connection.
    func add(_ access: RunningAccess) { state.withLock { $0.running.append(access) } }

    /// Removes an access that has ended.
    ///
    /// - Parameters:
    ///   - access: The access.
    ///   - wasInterrupted: Whether it ended with an interrupt.
    ///   - now: When it ended, on the clock.
    func remove(_ access: RunningAccess, wasInterrupted: Bool, at now: UInt64) {
        let requestedAt = access.end()
        state.withLock { state in
            state.running.removeAll { $0 === access }
            guard let requestedAt else { return }
            if wasInterrupted {
                state.status.delivered += 1
                state.latency.count(now > requestedAt ? now - requestedAt : 0)
            } else {
                // It had all but ended.
                state.status.withoutEffect += 1
            }
        }
    }

    /// Interrupts one access.
    ///
    /// - Returns: Whether it was still there.
    @discardableResult
    func interrupt(_ access: RunningAccess, at now: UInt64) -> Bool {
        access.request(at: now) { state.withLock { $0.status.requested += 1 } }
    }

    /// Interrupts all accesses but one.
    func interruptAll(but own: RunningAccess? = nil, at now: UInt64) {
        let running = state.withLock { $0.running }
        var isHeard = false
        for access in running where access !== own {
            if interrupt(access, at: now) { isHeard = true }
        }
        // Nobody to hear it: still it was asked for.
        if own == nil, !isHeard {
            state.withLock { state in
                state.status.requested += 1
                state.status.withoutEffect += 1
            }
        }
    }
}
