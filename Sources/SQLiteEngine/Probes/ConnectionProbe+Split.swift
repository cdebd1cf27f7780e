import Synchronization
import Telemetry

/// What only the holder of a connection uses, while the time of its access is split.
struct CloseLook {
    /// What the access that is about to begin has spent already.
    struct Pending {
        var site: AccessSite
        /// Since when it waited; 0 when it did not.
        var since: UInt64 = 0
        /// How long its connection was opened.
        var opening: UInt64 = 0
        /// What the countdown showed before the wait cut it short.
        var countdown: UInt32
    }

    var clock = AccessClock(.closure, at: 0)
    var isContended = false
    var pending: Pending?
    /// The calls of SQLite under way, with the phases that they interrupted: a function that is
    /// called by a statement may run statements itself.
    var calls: [(interrupted: AccessPhase, start: UInt64)] = []
    /// Statements under way, with the time that their steps took.
    var executions: [(number: UInt64, time: UInt64)] = []
    private let interval: UInt32
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(interval: Int) { self.interval = UInt32(interval) }

    /// How many accesses until the next one of the sample, at random: load that repeats itself
    /// must not show the same access each time.
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

/// The split of an access's time.
extension ConnectionProbe {
    /// The access that is about to begin has waited since `since`.
    func noteWait(since: UInt64, for site: AccessSite) {
        guard isEnabled else { return }
        prepend(site) { $0.since = since }
    }

    /// The connection was opened for the access that is about to begin.
    func noteOpening(_ nanoseconds: UInt64, for site: AccessSite) {
        prepend(site) { $0.opening = nanoseconds }
    }

    private func prepend(_ site: AccessSite, _ change: (inout CloseLook.Pending) -> Void) {
        var pending: CloseLook.Pending
        if let known = close.pointee.pending {
            pending = known
            // One that never began: its wait is nobody's.
            if known.site != site {
                pending = CloseLook.Pending(site: site, countdown: known.countdown)
            }
        } else {
            let left = countdown.load(ordering: .relaxed)
            pending = CloseLook.Pending(site: site, countdown: left)
        }
        change(&pending)
        close.pointee.pending = pending
        countdown.store(1, ordering: .relaxed)
    }

    /// Begins to split the time of an access: its turn has come, or it waited.
    @inline(never)
    func beginSplit(_ site: AccessSite, at now: UInt64) {
        let pending = close.pointee.pending
        close.pointee.pending = nil
        close.pointee.clock = AccessClock(.closure, at: now)
        close.pointee.isContended = false
        if !close.pointee.calls.isEmpty { close.pointee.calls.removeAll(keepingCapacity: true) }
        if let pending, pending.site != site {
            // It was for an access that never began: this one is as any other.
            let left = pending.countdown &- 1
            countdown.store(left == 0 ? close.pointee.nextCountdown() : left, ordering: .relaxed)
            guard left == 0 else { return }
        } else if let pending {
            // The wait does not count for the sample of those who did not.
            countdown.store(max(1, pending.countdown), ordering: .relaxed)
            close.pointee.isContended = true
            close.pointee.clock[.opening] = pending.opening
            if pending.since != 0 {
                let waited = now &- pending.since
                let opening = min(waited, pending.opening)
                close.pointee.clock[.waiting] = waited - opening
            }
        } else {
            countdown.store(close.pointee.nextCountdown(), ordering: .relaxed)
        }
        duties.store(Duty.atStart | Duty.split, ordering: .relaxed)
    }

    /// Records the split of the access that ends.
    ///
    /// - Returns: How long it waited.
    func endSplit(at now: UInt64) -> UInt64 {
        close.pointee.clock.enter(.closure, at: now)
        if !close.pointee.executions.isEmpty { endExecutions() }
        let clock = close.pointee.clock
        (close.pointee.isContended ? times.contended : times.uncontended).record(clock)
        return clock[.waiting] &+ clock[.opening]
    }

    /// Records the statements whose execution the end of the access cuts short.
    private func endExecutions() {
        for execution in close.pointee.executions { times.statements.record(execution.time) }
        close.pointee.executions.removeAll(keepingCapacity: true)
    }

    /// The access does something else now.
    @inline(never)
    func enter(_ phase: AccessPhase) {
        close.pointee.clock.enter(phase, at: monotonicNanoseconds())
    }

    /// A call of SQLite's begins.
    @inline(never)
    func beginCall() { close.pointee.beginCall(at: monotonicNanoseconds()) }

    /// A step of a statement is over.
    func endCall(of number: UInt64) {
        let time = close.pointee.endCall(at: monotonicNanoseconds())
        if let place = close.pointee.executions.firstIndex(where: { $0.number == number }) {
            close.pointee.executions[place].time &+= time
        } else {
            close.pointee.executions.append((number, time))
        }
    }

    /// An execution of a statement is over.
    func endExecution(of number: UInt64) {
        guard let place = close.pointee.executions.firstIndex(where: { $0.number == number })
        else { return }
        times.statements.record(close.pointee.executions[place].time)
        close.pointee.executions.swapAt(place, close.pointee.executions.count - 1)
        close.pointee.executions.removeLast()
    }

    /// Prepares a statement: that is time inside SQLite.
    @inline(__always)
    func prepare<Result>(_ body: () -> Result) -> Result {
        guard duties.load(ordering: .relaxed) & Duty.split != 0 else { return body() }
        beginCall()
        defer { _ = close.pointee.endCall(at: monotonicNanoseconds()) }
        return body()
    }

    /// Tells observers something: that is their time.
    @inline(__always)
    func notify<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard duties.load(ordering: .relaxed) & Duty.split != 0 else { return try body() }
        let phase = close.pointee.clock.enter(.notifying, at: monotonicNanoseconds())
        defer { enter(phase) }
        return try body()
    }
}
