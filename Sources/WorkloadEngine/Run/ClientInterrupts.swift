import Telemetry

/// A client's running accesses, which other clients may interrupt, and the outcomes of these
/// interrupts.
final class ClientInterrupts: Sendable {
    private struct State: Sendable {
        var running: [RunningAccess] = []
        var status = InterruptStatus()
        var latency = LatencyHistogram()
    }

    private let state = Lock(State())

    var status: InterruptStatus? {
        state.withLock { state in
            guard state.status.requested > 0 else { return nil }
            var status = state.status
            status.latency = state.latency.summary
            return status
        }
    }

    func add(_ access: RunningAccess) { state.withLock { $0.running.append(access) } }

    /// Removes an access that has ended.
    ///
    /// - Returns: Whether a requested interrupt ended the access.
    @discardableResult
    func remove(_ access: RunningAccess, wasInterrupted: Bool, at now: UInt64) -> Bool {
        let requestedAt = access.end()
        return state.withLock { state in
            state.running.removeAll { $0 === access }
            guard let requestedAt else { return false }
            if wasInterrupted {
                state.status.delivered += 1
                state.latency.count(now > requestedAt ? now - requestedAt : 0)
            } else {
                // The access was already ending.
                state.status.withoutEffect += 1
            }
            return wasInterrupted
        }
    }

    /// Interrupts an access.
    ///
    /// - Returns: Whether the access was still running.
    @discardableResult
    func interrupt(_ access: RunningAccess, at now: UInt64) -> Bool {
        access.request(at: now) { state.withLock { $0.status.requested += 1 } }
    }

    func interruptAll(but exception: RunningAccess? = nil, at now: UInt64) {
        let running = state.withLock { $0.running }
        var wasReceived = false
        for access in running where access !== exception {
            if interrupt(access, at: now) { wasReceived = true }
        }
        // Count the request even if no access received it.
        if exception == nil, !wasReceived {
            state.withLock { state in
                state.status.requested += 1
                state.status.withoutEffect += 1
            }
        }
    }
}
