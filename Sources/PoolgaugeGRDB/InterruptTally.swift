#if GRDB
import Telemetry

/// The requests and outcomes of interrupts, as observed by accesses that report their statements.
package final class InterruptTally: Sendable {
    private struct State {
        var status = InterruptStatus()
        var lastRequest: UInt64?
    }

    private let state = Lock(State())
    private let latencies = AtomicHistogram()

    /// Counts a request.
    ///
    /// - Parameter withEffect: Whether a statement is running.
    package func countRequest(withEffect: Bool) {
        let now = monotonicNanoseconds()
        state.withLock { state in
            state.status.requested += 1
            state.lastRequest = now
            if !withEffect { state.status.withoutEffect += 1 }
        }
    }

    /// Counts a statement that ended with `SQLITE_INTERRUPT`.
    func countDelivery() {
        let now = monotonicNanoseconds()
        let request = state.withLock { state in
            state.status.delivered += 1
            return state.lastRequest
        }
        if let request { latencies.record(now - min(now, request)) }
    }

    package var status: InterruptStatus {
        var status = state.withLock { $0.status }
        status.latency = AtomicHistogram.summary(of: [latencies])
        return status
    }
}
#endif
