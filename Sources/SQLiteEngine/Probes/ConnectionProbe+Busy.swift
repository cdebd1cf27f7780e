import CSQLite
import Synchronization
import Telemetry

/// Handles locks held by other connections.
extension ConnectionProbe {
    /// Sets how the connection handles locks held by other connections.
    ///
    /// The connection does not use SQLite's timeout, because its waits cannot be measured. The
    /// pointer to the probe stays valid, because the probe outlives the connection.
    func install(busyMode: Database.BusyMode, on handle: OpaquePointer?) {
        self.busyMode.withLock { $0 = busyMode }
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            handle,
            { this, tries in
                guard let this else { return 0 }
                let probe = Unmanaged<ConnectionProbe>.fromOpaque(this).takeUnretainedValue()
                if tries == 0 {
                    probe.lockWait.withLock { $0 = LockWait(startedAt: monotonicNanoseconds()) }
                }
                let shouldRetry = probe.handleLock(tries: Int(tries))
                if !shouldRetry { probe.lockWait.withLock { $0.stopRetrying() } }
                return shouldRetry ? 1 : 0
            },
            this
        )
    }

    /// Waits according to the busy mode.
    ///
    /// - Returns: Whether to retry.
    private func handleLock(tries: Int) -> Bool {
        let busyMode = busyMode.withLock { $0 }
        if case .immediateError = busyMode, let policy = readerLockRetry.withLock({ $0 }) {
            let shouldRetry = measureWait {
                encounteredLock.withLock { policy.pauseBeforeRetry(after: tries, &$0) }
            }
            if shouldRetry { return true }
            recordLock()
            return false
        }
        if tries == 0 { recordLock() }
        switch busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return measureWait { callback(tries) }
        case .timeout(let seconds):
            guard let pause = BusyBackoff.pause(tries: tries, timeout: seconds) else {
                return false
            }
            return measureWait {
                sqlite3_sleep(CInt(pause))
                return true
            }
        }
    }

    private func recordLock() {
        didEncounterLock()
        lockStep.store(steps.load(ordering: .relaxed), ordering: .relaxed)
    }

    private func measureWait(_ body: () -> Bool) -> Bool {
        isWaitingForLock.store(true, ordering: .relaxed)
        let start = monotonicNanoseconds()
        defer {
            busyWait.wrappingAdd(monotonicNanoseconds() &- start, ordering: .relaxed)
            isWaitingForLock.store(false, ordering: .relaxed)
        }
        return body()
    }

    /// Returns and resets the record of the busy handler's calls during a statement that just
    /// failed.
    ///
    /// Call this method before ``didFail(_:)``.
    ///
    /// - Returns: The record, or `nil` if the error is not `SQLITE_BUSY`.
    func takeLockWait(_ code: CInt) -> LockWait? {
        guard code & 0xff == SQLITE_BUSY else { return nil }
        let wait = lockWait.withLock { wait in
            defer { wait = LockWait() }
            return wait
        }
        // Ignores calls during an earlier step, such as a checkpoint that reported a lock as its
        // result.
        let belongsToStep = lockStep.load(ordering: .relaxed) == steps.load(ordering: .relaxed)
        var result = wait.didStopRetrying && belongsToStep ? wait : LockWait()
        switch busyMode.withLock({ $0 }) {
        case .immediateError: result.timeout = 0
        case .timeout(let seconds): result.timeout = UInt64(max(0, seconds) * 1e9)
        case .callback: break
        }
        return result
    }

    func didEncounterLock() {
        busyTotal.wrappingAdd(1, ordering: .relaxed)
        events.emit(label, .busy(by: holder))
    }
}

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
            // SQLITE_LOCKED is a conflict inside one connection or one shared cache.
            if code & 0xff == SQLITE_BUSY { busyUpgrades.wrappingAdd(1, ordering: .relaxed) }
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
        let belongsToAccess = request.time != 0 && request.access == access
        let latency = belongsToAccess ? monotonicNanoseconds() &- request.time : nil
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
            // Measures the latency from the first request.
            if request.time == 0 || request.access != access {
                request = InterruptRequest(access: access, time: now)
            }
        }
    }
}
