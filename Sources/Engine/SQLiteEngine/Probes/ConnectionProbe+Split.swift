import CSQLite
import Synchronization
import Telemetry

/// The state for splitting an access's time among phases.
///
/// Only the connection's holder uses this state.
struct SplitState {
    /// The values recorded for an access before it starts.
    struct Pending {
        var site: AccessSite
        /// The start of the wait, or 0 if the access did not wait.
        var since: UInt64 = 0
        /// The time spent opening the connection.
        var opening: UInt64 = 0
        /// The value of the countdown before the probe set it to 1 for this access.
        var countdown: UInt32
    }

    var clock = AccessClock(.closure, at: 0)
    var isContended = false
    var pending: Pending?
    /// The SQLite calls in progress, and the phases that they interrupted.
    ///
    /// Calls can be nested, because an SQL function may run statements.
    var calls: [(interrupted: AccessPhase, start: UInt64)] = []
    /// The statements in progress, and the total time of their steps.
    var executions: [(number: UInt64, time: UInt64)] = []
    private let interval: UInt32
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(interval: Int) { self.interval = UInt32(interval) }

    /// Returns the number of accesses until the next sampled access.
    ///
    /// The number is random, so that sampling a periodic load does not always measure the same
    /// access.
    mutating func nextCountdown() -> UInt32 {
        guard interval > 1 else { return 1 }
        // xorshift64 (Marsaglia, 2003).
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return 1 + UInt32(truncatingIfNeeded: random >> 32) % (2 * interval - 1)
    }

    fileprivate mutating func beginCall(at now: UInt64) {
        calls.append((clock.enter(.insideSQLite, at: now), now))
    }

    fileprivate mutating func endCall(at now: UInt64) -> UInt64 {
        guard let call = calls.popLast() else { return 0 }
        clock.enter(call.interrupted, at: now)
        return now &- call.start
    }
}

extension ConnectionProbe {
    func recordWait(since: UInt64, for site: AccessSite) {
        guard isEnabled else { return }
        recordPending(at: site) { $0.since = since }
    }

    func recordOpening(_ nanoseconds: UInt64, for site: AccessSite) {
        recordPending(at: site) { $0.opening = nanoseconds }
    }

    private func recordPending(at site: AccessSite, _ change: (inout SplitState.Pending) -> Void) {
        var pending: SplitState.Pending
        if let known = splitState.pending {
            pending = known
            // The recorded access never started, so its wait is discarded.
            if known.site != site {
                pending = SplitState.Pending(site: site, countdown: known.countdown)
            }
        } else {
            let remaining = countdown.load(ordering: .relaxed)
            pending = SplitState.Pending(site: site, countdown: remaining)
        }
        change(&pending)
        splitState.pending = pending
        countdown.store(1, ordering: .relaxed)
    }

    @inline(never)
    func beginSplit(_ site: AccessSite, at now: UInt64) {
        let pending = splitState.pending
        splitState.pending = nil
        splitState.clock = AccessClock(.closure, at: now)
        splitState.isContended = false
        if !splitState.calls.isEmpty {
            splitState.calls.removeAll(keepingCapacity: true)
        }
        if let pending, pending.site != site {
            // The values belong to an access that never started. This access did not wait.
            let remaining = pending.countdown &- 1
            let next = remaining == 0 ? splitState.nextCountdown() : remaining
            countdown.store(next, ordering: .relaxed)
            guard remaining == 0 else { return }
        } else if let pending {
            // This access waited, so it is not in the sample of accesses that did not wait.
            countdown.store(max(1, pending.countdown), ordering: .relaxed)
            splitState.isContended = true
            splitState.clock[.opening] = pending.opening
            if pending.since != 0 {
                let waited = now &- pending.since
                let opening = min(waited, pending.opening)
                splitState.clock[.waiting] = waited - opening
            }
        } else {
            countdown.store(splitState.nextCountdown(), ordering: .relaxed)
        }
        duties.store(Duty.atStart | Duty.split, ordering: .relaxed)
    }

    /// Records the phases of the ending access.
    ///
    /// - Returns: The waiting time of the access, in nanoseconds.
    func endSplit(at now: UInt64) -> UInt64 {
        splitState.clock.enter(.closure, at: now)
        if !splitState.executions.isEmpty { endExecutions() }
        let clock = splitState.clock
        (splitState.isContended ? times.contended : times.uncontended).record(clock)
        return clock[.waiting] &+ clock[.opening]
    }

    private func endExecutions() {
        for execution in splitState.executions { times.statements.record(execution.time) }
        splitState.executions.removeAll(keepingCapacity: true)
    }

    @inline(never)
    func enter(_ phase: AccessPhase) {
        splitState.clock.enter(phase, at: monotonicNanoseconds())
    }

    @inline(never)
    func beginCall() { splitState.beginCall(at: monotonicNanoseconds()) }

    func endCall(of number: UInt64) {
        let time = splitState.endCall(at: monotonicNanoseconds())
        if let index = splitState.executions.firstIndex(where: { $0.number == number }) {
            splitState.executions[index].time &+= time
        } else {
            splitState.executions.append((number, time))
        }
    }

    func endExecution(of number: UInt64) {
        guard let index = splitState.executions.firstIndex(where: { $0.number == number })
        else { return }
        times.statements.record(splitState.executions[index].time)
        splitState.executions.swapAt(index, splitState.executions.count - 1)
        splitState.executions.removeLast()
    }

    /// Runs `body`, which prepares a statement, and counts its time as
    /// ``AccessPhase/insideSQLite``.
    @inline(__always)
    func prepare<Result>(_ body: () -> Result) -> Result {
        guard duties.load(ordering: .relaxed) & Duty.split != 0 else { return body() }
        beginCall()
        defer { _ = splitState.endCall(at: monotonicNanoseconds()) }
        return body()
    }

    /// Runs `body`, which notifies observers, and counts its time as ``AccessPhase/notifying``.
    @inline(__always)
    func notify<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard duties.load(ordering: .relaxed) & Duty.split != 0 else { return try body() }
        let phase = splitState.clock.enter(.notifying, at: monotonicNanoseconds())
        defer { enter(phase) }
        return try body()
    }
}

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
