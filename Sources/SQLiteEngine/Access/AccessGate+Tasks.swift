import Telemetry

/// How tasks and callbacks wait for a connection: without a thread.
extension AccessGate {
    /// Takes a connection for a task or a callback: now, or when `resume` is called.
    ///
    /// `resume` is called once, on any thread: with a slot that is the task's, whose connection
    /// may still have to be opened, or with the error that the gate was closed or that the wait
    /// would be a deadlock.
    ///
    /// When a slot is `wanted`, no other will do. The `holdings` are what the task or the callback
    /// holds while it waits.
    ///
    /// - Returns: What waits, for ``cancel(_:)``; nil when `resume` was called already.
    func acquire(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        wanted: AccessSlot? = nil,
        holdings: [Holding] = [],
        resume: @escaping @Sendable (Result<AccessSlot, any Error>) -> Void
    ) -> Waiter? {
        let start = monotonicNanoseconds()
        // Behind those who wait: the order of the asynchronous accesses is a promise.
        if wanted != nil || !readAttention().hasWaiters, let slot = claim(wanted) {
            if wanted == nil { noteUse(of: slot) }
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

    /// Takes a connection that is open and free, unless somebody waits for one.
    func claimFree() -> AccessSlot? {
        guard !readAttention().hasWaiters, let slot = claimAny() else { return nil }
        noteUse(of: slot)
        return slot
    }

    /// Takes a slot that is free, with or without a connection.
    private func claim(_ wanted: AccessSlot?) -> AccessSlot? {
        guard let wanted else { return claimForUse() }
        return wanted.claimIdle() || wanted.claimClosed() ? wanted : nil
    }

    /// Takes a task's waiter back.
    ///
    /// - Returns: Whether it still waited: then it will never be resumed.
    func cancel(_ waiter: Waiter) -> Bool {
        let isOurs = queue.withLock { queue in
            let isOurs = queue.remove(waiter, at: monotonicNanoseconds())
            if isOurs { _ = waiter.takeSleeper() }
            if isOurs { attention.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
            return isOurs
        }
        if isOurs {
            waiting.end(waiter.intent)
            endNestedWait(waiter)
        }
        return isOurs
    }
}
