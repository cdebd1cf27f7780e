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
        recordPending(site) { $0.since = since }
    }

    func recordOpening(_ nanoseconds: UInt64, for site: AccessSite) {
        recordPending(site) { $0.opening = nanoseconds }
    }

    private func recordPending(_ site: AccessSite, _ change: (inout SplitState.Pending) -> Void) {
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
