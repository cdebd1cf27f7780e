import Telemetry

extension AccessGate {
    /// Acquires a slot for a task or a callback and passes the slot to `resume`.
    ///
    /// The slot may have no connection yet. `resume` is called once, on any thread. If the gate is
    /// closed or the wait would be a deadlock, `resume` receives an error.
    ///
    /// If `wanted` is set, only that slot is acquired. `holdings` contains the slots that the task
    /// or callback holds while it waits.
    ///
    /// - Returns: The waiter to pass to ``cancel(_:)``, or `nil` if `resume` has already been
    ///   called.
    func acquire(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        wanted: AccessSlot? = nil,
        holdings: [Holding] = [],
        resume: @escaping @Sendable (Result<AccessSlot, any Error>) -> Void
    ) -> Waiter? {
        let start = monotonicNanoseconds()
        // Existing waiters are served first, because asynchronous accesses run in call order.
        if wanted != nil || !readConditions().hasWaiters, let slot = claim(wanted) {
            if wanted == nil { recordUse(of: slot) }
            resume(.success(slot))
            return nil
        }
        let waiter = Waiter(
            site: site,
            intent: intent,
            sleeper: .task { [self] result in
                if case .success(let slot) = result, wanted == nil {
                    _ = acquired(slot, site, since: start)
                }
                resume(result)
            },
            since: start,
            wanted: wanted,
            holdings: holdings
        )
        if let error = deadlock(of: waiter) {
            resume(.failure(error))
            return nil
        }
        guard startWaiting(waiter) else {
            endNestedWait(waiter)
            resume(.failure(DatabaseError.connectionIsClosed()))
            return nil
        }
        return waiter
    }

    /// Acquires a free slot with an open connection, unless an access is waiting for one.
    func claimFree() -> AccessSlot? {
        guard !readConditions().hasWaiters, let slot = claimAny() else { return nil }
        recordUse(of: slot)
        return slot
    }

    private func claim(_ wanted: AccessSlot?) -> AccessSlot? {
        guard let wanted else { return claimForUse() }
        return wanted.claimIdle() || wanted.claimClosed() ? wanted : nil
    }

    /// Removes the waiter of a task from the queue.
    ///
    /// - Returns: Whether the waiter was still in the queue. If so, its task is never resumed.
    func cancel(_ waiter: Waiter) -> Bool {
        let isOurs = queue.withLock { queue in
            let isOurs = queue.remove(waiter, at: monotonicNanoseconds())
            if isOurs { _ = waiter.takeSleeper() }
            if isOurs { conditions.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
            return isOurs
        }
        if isOurs {
            waiting.end(waiter)
            endNestedWait(waiter)
        }
        return isOurs
    }
}
