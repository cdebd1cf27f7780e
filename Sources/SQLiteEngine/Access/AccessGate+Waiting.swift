import Telemetry

extension AccessGate {
    @inline(never)
    func wait(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        let waiter = Waiter(
            site: site,
            intent: intent,
            sleeper: .thread(thread.pointee.parker),
            since: start,
            holdings: thread.pointee.holdsSlots ? thread.pointee.holdings : [],
            mayBorrow: mayBorrow(thread)
        )
        let slot = try waitInThread(waiter)
        if slot.database == nil { _ = try open(slot, site) }
        return acquired(slot, site, since: start)
    }

    /// Blocks the calling thread until it has acquired a slot, which may have no connection.
    ///
    /// - Throws: `SQLITE_MISUSE` if the gate is closed, and `SQLITE_LOCKED` if the wait would be a
    ///   deadlock.
    func waitInThread(_ waiter: Waiter) throws -> AccessSlot {
        defer { endNestedWait(waiter) }
        switch waitForSlot(waiter) {
        case .slot(let slot): return slot
        case .deadlocked: throw waiter.deadlock ?? DatabaseError(resultCode: .SQLITE_LOCKED)
        case .closed: throw DatabaseError.connectionIsClosed()
        }
    }

    func acquired(
        _ slot: AccessSlot,
        _ site: AccessSite,
        since start: UInt64
    ) -> AccessSlot {
        recordUse(of: slot)
        slot.probe.recordWait(since: start, for: site)
        guard !site.isUncounted else { return slot }
        slowAcquisitions.record(monotonicNanoseconds() &- start)
        slowCount.wrappingAdd(1, ordering: .relaxed)
        return slot
    }
}
