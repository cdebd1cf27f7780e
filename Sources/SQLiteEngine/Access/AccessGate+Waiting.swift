import Telemetry

/// How threads wait for a connection, and how one that comes free finds its way to them.
extension AccessGate {
    @inline(never)
    func wait(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        let parker = thread.pointee.parker
        let waiter = Waiter(
            site: site,
            intent: intent,
            sleeper: .thread(parker),
            since: start,
            holdings: thread.pointee.holdsSlots ? thread.pointee.holdings : [],
            mayBorrow: mayBorrow(thread)
        )
        let slot = try waitForSlot(thread, waiter)
        if slot.database == nil { _ = try open(slot, site) }
        return acquired(slot, site, since: start)
    }

    private func waitForSlot(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ waiter: Waiter
    ) throws -> AccessSlot {
        try enqueue(waiter)
        defer { endNestedWait(waiter) }
        // Not before that of those who stand before it: until then each looks for itself.
        let deadline = monotonicNanoseconds() + Waiter.patience
        var isPatient = true
        while true {
            if let slot = claimAny() ?? claimClosed() ?? borrow(thread) {
                settle(waiter)
                return slot
            }
            if let error = deadlock(of: waiter) {
                settle(waiter)
                throw error
            }
            thread.pointee.parker.park(until: isPatient ? deadline : nil)
            isPatient = isPatient && monotonicNanoseconds() < deadline
            if let granted = try awaken(waiter) {
                passOn()
                return granted
            }
        }
    }

    /// What a waiter finds when its thread has woken up: the slot that was granted to it
    /// meanwhile, or one that is in the moment in which it is awake anyway.
    ///
    /// Handing a slot to a thread that is awake costs nobody the time of waking it.
    private func awaken(_ waiter: Waiter) throws -> AccessSlot? {
        let (granted, isClosed) = queue.withLock { queue in
            waiter.isNotified = false
            waiter.isWatching = waiter.granted == nil && !queue.isClosed
            return (waiter.granted, queue.isClosed)
        }
        if let granted { return granted }
        if isClosed { throw DatabaseError.connectionIsClosed() }
        // What came free before anybody could know that this thread watches.
        if let slot = claimAny() {
            settle(waiter)
            return slot
        }
        waiter.watch()
        return queue.withLock { queue in
            waiter.isWatching = false
            return waiter.granted
        }
    }

    func acquired(
        _ slot: AccessSlot,
        _ site: AccessSite,
        since start: UInt64
    ) -> AccessSlot {
        slot.probe.noteWait(since: start, for: site)
        slowAcquisitions.record(monotonicNanoseconds() &- start)
        slowCount.wrappingAdd(1, ordering: .relaxed)
        return slot
    }

    /// Adds a waiter, so that those who release see it from now on.
    func enqueue(_ waiter: Waiter) throws {
        let isClosed = queue.withLock { queue in
            if !queue.isClosed {
                queue.append(waiter, at: waiter.since)
                attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            return queue.isClosed
        }
        if isClosed { throw DatabaseError.connectionIsClosed() }
    }

    /// Takes a waiter that served itself out of the queue, and passes on what it got too much:
    /// a slot granted at the same moment, a wake-up that another could use, or a free slot that was
    /// left to it and not to the task behind it.
    private func settle(_ waiter: Waiter) {
        let (granted, mayLeaveOne) = queue.withLock { queue in
            if queue.remove(waiter, at: monotonicNanoseconds()) {
                attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return (waiter.granted, waiter.isNotified || queue.hasTask)
        }
        if let granted { giveBack(granted) }
        if mayLeaveOne { wakeOne() }
    }

    /// Passes on a free slot that was left to a thread, which got another one, and not to the task
    /// behind it.
    private func passOn() {
        if hasWaiters, queue.withLock({ $0.hasTask }) { wakeOne() }
    }

    /// Gives a connection that is free, or a place to open one, to those who wait.
    private func wakeOne() {
        guard hasWaiters else { return }
        if let slot = claimAny() ?? claimClosed() { releaseToWaiters(slot) }
    }

    @inline(never)
    func releaseToWaiters(_ slot: AccessSlot) {
        var keeps = false
        let (decision, isAwake) = queue.withLock { queue in
            let decision = queue.release(slot, at: monotonicNanoseconds())
            switch decision {
            case .grant(let waiter):
                attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                return (decision, waiter.isWatching)
            // Inside the lock: a waiter that appends itself afterwards finds the slot free.
            case .free, .notify:
                if slot.database == nil {
                    slot.giveUp(AccessSlot.State.closed)
                } else {
                    keeps = slot.giveUpOpen()
                }
                return (decision, false)
            }
        }
        if keeps { keeper.didKeep() }
        switch decision {
        case .free: break
        case .grant where isAwake: break
        case .notify(let waiter):
            if case .thread(let parker) = waiter.sleeper { parker.unpark() }
        case .grant(let waiter): wake(waiter, with: .success(slot))
        }
    }

    /// Wakes a waiter that the caller has taken out of the queue.
    func wake(_ waiter: Waiter, with result: Result<AccessSlot, any Error>) {
        switch waiter.takeSleeper() {
        case .thread(let parker): parker.unpark()
        case .task(let resume):
            endNestedWait(waiter)
            resume(result)
        case .nobody: break
        }
    }
}
