import CSQLite
import Synchronization
import Telemetry

/// How a connection's statements fail: for locks of others, and for interrupts.
extension ConnectionProbe {
    /// When the statement that runs was first asked to stop, and in which access.
    struct InterruptRequest {
        var access: UInt64 = 0
        var time: UInt64 = 0
    }

    /// Counts a failed step, or the interrupt of a statement that was being prepared.
    func didFail(_ code: CInt) {
        switch code & 0xff {
        case SQLITE_INTERRUPT: didInterrupt()
        case SQLITE_BUSY, SQLITE_LOCKED:
            // SQLite does not ask the busy handler each time, for one to avoid a deadlock.
            let metAt = lockMetAt.exchange(.max, ordering: .relaxed)
            guard metAt != steps.load(ordering: .relaxed) else { return }
            didMeetLock()
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

    /// Somebody asks the statement that runs to stop; any thread may.
    func willInterrupt() {
        let access = accessCount
        let now = monotonicNanoseconds()
        interruptRequest.withLock { request in
            // The first request counts.
            if request.time == 0 || request.access != access {
                request = InterruptRequest(access: access, time: now)
            }
        }
    }
}
