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
                    _ = recordAcquisition(of: slot, site, since: start)
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

    /// Acquires a free slot with an open connection, unless an access is waiting for a slot.
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
    /// - Returns: Whether the waiter was still in the queue. If so, its `resume` is never called.
    func cancel(_ waiter: Waiter) -> Bool {
        let wasRemoved = queue.withLock { queue in
            let wasRemoved = queue.remove(waiter, at: monotonicNanoseconds())
            if wasRemoved { _ = waiter.takeSleeper() }
            if wasRemoved { conditions.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
            return wasRemoved
        }
        if wasRemoved {
            waiting.end(waiter)
            endNestedWait(waiter)
        }
        return wasRemoved
    }

    // MARK: Accesses

    /// Waits for a connection without blocking a thread, and then runs a task's access on the
    /// connection's thread.
    ///
    /// If `claimed` is set, the access uses this slot and releases the slot at the end.
    ///
    /// - Throws: `CancellationError` immediately if the task is canceled during the wait. If the
    ///   task is canceled later, the running statement is interrupted and the access rolls back.
    func perform<T: Sendable>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        holding claimed: AccessSlot? = nil,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        // An access that already holds a connection continues, because it must release the
        // connection.
        if claimed == nil { try Task.checkCancellation() }
        let access = TaskAccess(gate: self, site: site, intent: intent, claimed: claimed)
        return try await withTaskCancellationHandler {
            try await access.run(body)
        } onCancel: {
            access.cancel()
        }
    }

    /// Waits for a connection without blocking a thread, and then runs a callback's access on the
    /// connection's thread.
    ///
    /// Waiting accesses run in call order. The access ends when `body` returns. If no connection is
    /// available, `failure` is called instead.
    func performLater(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent) { [self] result in
            // Always uses a Dispatch thread, because `failure` is also user code.
            let slot = (try? result.get()) ?? slots[0]
            slot.executor.async { [self] in
                do {
                    let slot = try result.get()
                    if slot.database == nil { _ = try open(slot, site) }
                    enter(slot, ThreadState.current, site)
                    defer { leaveOpenOrClosed(slot) }
                    body(slot.openDatabase)
                } catch {
                    failure(error)
                }
            }
        }
    }

    func perform<T>(
        _ slot: AccessSlot,
        _ site: AccessSite,
        _ cancellation: AccessCancellation,
        _ body: (Database) throws -> T
    ) throws -> T {
        if slot.database == nil { _ = try open(slot, site) }
        let thread = ThreadState.current
        enter(slot, thread, site)
        defer {
            // Without a target queue, this thread can also run the next task's access.
            if !slot.executor.hasTarget {
                thread.pointee.releasingSlot = Unmanaged.passUnretained(slot)
            }
            leaveOpenOrClosed(slot)
            thread.pointee.releasingSlot = nil
        }
        let database = slot.openDatabase
        database.cancellation = cancellation
        cancellation.begin(on: slot)
        defer {
            cancellation.end()
            database.cancellation = nil
        }
        do {
            try cancellation.check()
            return try body(database)
        } catch let error as DatabaseError where error.isInterruptionError {
            // A canceled access throws `CancellationError` instead of the interrupt's error.
            try cancellation.check()
            throw error
        }
    }

    func acquireForTask(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        wanted: AccessSlot,
        holdings: [Holding] = []
    ) async throws -> AccessSlot {
        try Task.checkCancellation()
        let acquisition = TaskAcquisition(gate: self, wanted: wanted, holdings: holdings)
        return try await withTaskCancellationHandler {
            acquisition.start(site, intent)
            return try await acquisition.outcome.value().get()
        } onCancel: {
            acquisition.cancel()
        }
    }
}
