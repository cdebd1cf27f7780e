import CSQLite
import Synchronization
import Telemetry

/// Counts the statements that fail because of locks and interrupts.
extension ConnectionProbe {
    /// The first request to interrupt the running statement, and the access that the request
    /// affects.
    struct InterruptRequest {
        var access: UInt64 = 0
        var time: UInt64 = 0
    }

    /// Counts a failed step, or an interrupt of a statement that was being prepared.
    func didFail(_ code: CInt) {
        switch code & 0xff {
        case SQLITE_INTERRUPT: didInterrupt()
        case SQLITE_BUSY, SQLITE_LOCKED:
            // SQLite does not call the busy handler in all cases, for example if waiting could
            // cause a deadlock.
            let previousStep = lockStep.exchange(.max, ordering: .relaxed)
            guard previousStep != steps.load(ordering: .relaxed) else { return }
            didEncounterLock()
        default: break
        }
    }

    private func didInterrupt() {
        interrupts.wrappingAdd(1, ordering: .relaxed)
        let access = accessCount
        let request = interruptRequest.withLock { request in
            defer { request.time = 0 }
            return request
        }
        let isOurs = request.time != 0 && request.access == access
        let latency = isOurs ? monotonicNanoseconds() &- request.time : nil
        if let latency { times.interrupts.record(latency) }
        events.emit(label, .interrupted(by: holder, after: latency))
    }

    /// Records a request to interrupt the running statement.
    ///
    /// This method may be called on any thread.
    func willInterrupt() {
        let access = accessCount
        let now = monotonicNanoseconds()
        interruptRequest.withLock { request in
            // The latency is measured from the first request.
            if request.time == 0 || request.access != access {
                request = InterruptRequest(access: access, time: now)
            }
        }
    }
}
