import Foundation
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
        return recordAcquisition(of: slot, site, since: start)
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

    /// Records the end of a wait, and returns the slot that was acquired.
    func recordAcquisition(
        of slot: AccessSlot,
        _ site: AccessSite,
        since start: UInt64
    ) -> AccessSlot {
        recordUse(of: slot)
        slot.probe.recordWait(since: start, for: site)
        slowAcquisitions.record(monotonicNanoseconds() &- start)
        slowCount.wrappingAdd(1, ordering: .relaxed)
        return slot
    }
}

/// Detects deadlocks among nested accesses.
///
/// Both `read { write }` and `write { read }` are allowed. If threads that wait for the writer hold
/// all readers of a pool, and the holder of the writer waits for a reader, no thread can continue.
/// The same can happen across several pools and queues. The access that would complete such a cycle
/// throws instead.
///
/// Only a thread that holds a connection and finds no free connection registers its wait, so
/// ordinary accesses incur no overhead.
extension AccessGate {
    typealias NestedWait = WaitGraph<ObjectIdentifier, AccessSlot>.Wait
    typealias Holding = WaitGraph<ObjectIdentifier, AccessSlot>.Holding

    /// All waits in this process during which a thread or a barrier holds slots.
    static let nestedWaits = Lock(WaitGraph<ObjectIdentifier, AccessSlot>())

    /// Registers the wait of a waiter that already holds slots.
    ///
    /// Call this method again before each sleep, because fewer slots may be usable than before.
    /// Call ``endNestedWait(_:)`` when the wait ends.
    ///
    /// A registration may briefly outlive its wait. By then, the waiter has received a slot that no
    /// registered wait holds, so the deadlock search assumes that the wait will end.
    ///
    /// - Returns: The error to throw if the wait would never end, or `nil` otherwise.
    func deadlock(of waiter: Waiter) -> DatabaseError? {
        if waiter.holdings.isEmpty { return nil }
        let wait = NestedWait(
            holdings: waiter.holdings,
            awaited: waiter.wanted.map { [$0] } ?? slots.filter { !$0.isLost },
            mayBorrow: waiter.mayBorrow,
            site: waiter.site
        )
        let waits = Self.nestedWaits.withLock { $0.update(ObjectIdentifier(waiter), wait) }
        return waits.map(DatabaseError.deadlock)
    }

    /// Removes the registration of a wait.
    ///
    /// Call this method before the waiter releases its slots.
    func endNestedWait(_ waiter: Waiter) {
        if waiter.holdings.isEmpty { return }
        Self.nestedWaits.withLock { $0.remove(ObjectIdentifier(waiter)) }
    }
}

extension AccessGate.Holding {
    /// Returns the slots that a barrier holds, followed by the slot that the barrier has reserved.
    static func all(
        _ slots: some Sequence<AccessSlot>,
        reserved: AccessSlot?,
        at site: AccessSite
    ) -> [Self] {
        slots.map { Self(slot: $0, site: site) }
            + (reserved.map { [Self(slot: $0, site: site, isReserved: true)] } ?? [])
    }
}

/// Implements the steps of the gate's protocol with atomics and a lock.
///
/// A step that acquires the lock changes at most one value that is visible without the lock: the
/// state of a slot or ``conditions``. Other threads therefore observe each step as a whole.
extension AccessGate: GateSteps {
    typealias Failure = Never

    var supportsReservation: Bool { readers != nil }

    // MARK: Slots

    /// Claims a slot in the given state.
    ///
    /// The idle state includes ``AccessSlot/State/keeping``.
    @inline(__always)
    func claim(_ slot: AccessSlot, from state: UInt8) -> Bool {
        state == AccessSlot.State.idle ? slot.claimIdle() : slot.claim(from: state)
    }

    func claimWhenReserved(_ slot: AccessSlot) {
        while !slot.claim(from: AccessSlot.State.reserved) { sched_yield() }
    }

    /// Frees a slot that the caller holds.
    ///
    /// If `state` is idle and the connection keeps its transaction, the slot's new state is
    /// ``AccessSlot/State/keeping``.
    @inline(__always)
    func free(_ slot: AccessSlot, as state: UInt8) {
        if state != AccessSlot.State.idle {
            slot.free(state)
        } else if slot.freeOpen() {
            keeper.didKeep()
        }
    }

    func hasConnection(_ slot: AccessSlot) -> Bool { slot.database != nil }

    func mayBeOpened(_ slot: AccessSlot) -> Bool { !slot.isLost }

    // MARK: Conditions

    @inline(__always)
    func readConditionsRelaxed() -> GateConditions {
        GateConditions(word: conditions.load(ordering: .relaxed))
    }

    @inline(__always)
    func readConditions() -> GateConditions {
        GateConditions(word: conditions.load(ordering: .sequentiallyConsistent))
    }

    func endKeptTransaction(of slot: AccessSlot) { slot.database?.endKeptTransaction() }

    // MARK: The queue

    func queueIsClosed() -> Bool { queue.withLock { $0.isClosed } }

    func queueHasTask() -> Bool { queue.withLock { $0.hasTask } }

    func enqueue(_ waiter: Waiter) -> Bool {
        // Reads the property first, because another thread may resume an enqueued task immediately.
        let isTask = waiter.isTask
        let isOpen = queue.withLock { queue in
            if queue.isClosed { return false }
            queue.append(waiter, at: waiter.since)
            waiting.begin(waiter)
            conditions.wrappingAdd(1, ordering: .sequentiallyConsistent)
            return true
        }
        // Measures the patience from now, which is later than `since`. A waiter with expired
        // patience is therefore always entitled to a slot.
        if !isTask { waiter.patientUntil = monotonicNanoseconds() + waiter.patience }
        return isOpen
    }

    func withdraw(_ waiter: Waiter) -> GateWithdrawal<AccessSlot> {
        queue.withLock { queue in
            if queue.remove(waiter, at: monotonicNanoseconds()) {
                waiting.end(waiter)
                conditions.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return GateWithdrawal(
                granted: waiter.granted,
                mayLeaveFreeSlot: waiter.isNotified || queue.hasTask
            )
        }
    }

    func startWatching(_ waiter: Waiter) -> GateWaiterState<AccessSlot> {
        queue.withLock { queue in
            if let granted = waiter.granted { return .granted(granted) }
            return queue.startWatching(waiter) ? .waiting : .closed
        }
    }

    func watch(_ waiter: Waiter) { waiter.watch() }

    func stopWatching(_ waiter: Waiter) -> AccessSlot? {
        queue.withLock { queue in
            queue.stopWatching(waiter)
            return waiter.granted
        }
    }

    func handOver(_ slot: AccessSlot) -> GateHandover<Waiter> {
        let handover = decideHandover(of: slot)
        if case .grant = handover { return handover }
        endTransactionIfForbidden(slot)
        return handover
    }

    /// Ends a slot's kept transaction if keeping transactions is forbidden.
    ///
    /// Forbidding kept transactions changes the conditions first and then searches the slots. The
    /// search misses a slot that becomes free later. Releasing a slot frees it first and then reads
    /// the conditions. At least one of the two threads therefore observes the other's change.
    private func endTransactionIfForbidden(_ slot: AccessSlot) {
        if readConditions().forbidsKeeping { endKeptTransaction(ofIdle: slot) }
    }

    private func decideHandover(of slot: AccessSlot) -> GateHandover<Waiter> {
        queue.withLock { queue in
            switch queue.release(slot, at: monotonicNanoseconds()) {
            case .grant(let waiter):
                waiting.end(waiter)
                conditions.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                return .grant(waiter, isAwake: waiter.isAwake)
            // Frees the slot while holding the lock, so that the next waiter to enter the queue
            // finds the slot free.
            case .free:
                free(slot)
                return .free
            case .notify(let waiter):
                free(slot)
                return .notify(waiter)
            }
        }
    }

    private func free(_ slot: AccessSlot) {
        free(slot, as: slot.database == nil ? AccessSlot.State.closed : AccessSlot.State.idle)
    }

    func setReserved(_ isReserved: Bool) { queue.withLock { $0.isReserved = isReserved } }

    func freeIfReserved(_ slot: AccessSlot) -> Bool {
        queue.withLock { queue in
            if queue.isReserved { slot.free(AccessSlot.State.reserved) }
            return queue.isReserved
        }
    }

    // MARK: Sleeping

    func sleep(_ waiter: Waiter, isPatient: Bool) -> Bool {
        guard case .thread(let parker) = waiter.sleeper else { return false }
        parker.park(until: isPatient ? waiter.patientUntil : nil)
        return isPatient && monotonicNanoseconds() < waiter.patientUntil
    }

    func notify(_ waiter: Waiter) {
        if case .thread(let parker) = waiter.sleeper { parker.unpark() }
    }

    func wake(_ waiter: Waiter, granted slot: AccessSlot) { wake(waiter, with: .success(slot)) }

    /// Wakes the thread, or resumes the task, of a waiter that is no longer in the queue.
    func wake(_ waiter: Waiter, with result: Result<AccessSlot, any Error>) {
        switch waiter.takeSleeper() {
        case .thread(let parker): parker.unpark()
        case .task(let resume):
            endNestedWait(waiter)
            resume(result)
        case .removed: break
        }
    }

    func wakeThreads() {
        queue.withLock { queue in
            for waiter in queue.waiters { notify(waiter) }
        }
    }

    func isDeadlocked(_ waiter: Waiter) -> Bool {
        waiter.deadlock = deadlock(of: waiter)
        return waiter.deadlock != nil
    }
}

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
        intent: Waiter.Intent,
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
        at site: AccessSite,
        intent: Waiter.Intent,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent: intent) { [self] result in
            // Always uses a Dispatch thread, because `failure` is also user code.
            let slot = (try? result.get()) ?? slots[0]
            slot.executor.async { [self] in
                do {
                    let slot = try result.get()
                    if slot.database == nil { _ = try open(slot, site) }
                    enter(slot, on: ThreadState.current, at: site)
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
        enter(slot, on: thread, at: site)
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
        intent: Waiter.Intent,
        wanted: AccessSlot,
        holdings: [Holding] = []
    ) async throws -> AccessSlot {
        try Task.checkCancellation()
        let acquisition = TaskAcquisition(gate: self, wanted: wanted, holdings: holdings)
        return try await withTaskCancellationHandler {
            acquisition.start(site, intent: intent)
            return try await acquisition.outcome.value().get()
        } onCancel: {
            acquisition.cancel()
        }
    }
}
