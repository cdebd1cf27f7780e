import CSQLite
import Synchronization
import Telemetry

/// Counts statements that fail because of locks and interrupts.
extension ConnectionProbe {
    /// The first request to interrupt the running statement, and the affected access.
    struct InterruptRequest {
        var access: UInt64 = 0
        var time: UInt64 = 0
    }

    /// Counts a failed step or an interrupted preparation.
    func didFail(_ code: CInt) {
        switch code & 0xff {
        case SQLITE_INTERRUPT: didInterrupt()
        case SQLITE_BUSY, SQLITE_LOCKED:
            // SQLite does not always call the busy handler, for example if waiting could cause a
            // deadlock.
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
    /// Any thread may call this method.
    func willInterrupt() {
        let access = accessCount
        let now = monotonicNanoseconds()
        interruptRequest.withLock { request in
            // Measure the latency from the first request.
            if request.time == 0 || request.access != access {
                request = InterruptRequest(access: access, time: now)
            }
        }
    }
}
