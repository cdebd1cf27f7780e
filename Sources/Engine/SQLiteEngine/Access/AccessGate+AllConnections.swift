import Foundation
import Telemetry

/// Acquires all of a pool's connections without a deadlock.
///
/// A read may contain a write, and a write may contain a read. A thread that holds one connection
/// may therefore be waiting for another. To prevent a deadlock, an access that needs all
/// connections acquires them in this order:
///
/// 1. The access acquires the writer first, like any write. From then on, no thread that waits for
///    a reader holds the writer.
/// 2. While it waits for the readers, the access only *reserves* the writer. A thread inside a read
///    may borrow the writer until the thread's nested write ends. All readers therefore become
///    free eventually.
/// 3. When the access holds all readers, no thread is inside a read, so any borrower has returned
///    the writer.
///
/// Call these methods on the gate of a pool's writer.
extension AccessGate {
    /// Runs `body` while holding the writer and all readers.
    ///
    /// This method waits for running accesses and blocks new ones.
    ///
    /// - Throws: The error that `body` throws, `SQLITE_MISUSE` if the pool is closed, and
    ///   `SQLITE_LOCKED` if the wait would be a deadlock.
    func withAllConnections<T>(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        readers: AccessGate,
        _ body: (_ writer: AccessSlot, _ readers: [AccessSlot]) throws -> T
    ) throws -> T {
        try take(slots[0], on: thread, at: site)
        reserve()
        var isReserved = true
        defer { if isReserved { endReservation() } }
        return try readers.withAllSlots(thread, at: site, reserved: slots[0]) { held in
            let slot = claimReservation()
            isReserved = false
            return try body(slot, held)
        }
    }

    /// Returns whether the thread may borrow the writer because the thread is inside a read.
    func mayBorrow(_ thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        guard let readers, thread.pointee.holdsSlots else { return false }
        return thread.pointee.isInside(readers)
    }

    // MARK: All slots of one gate

    /// Runs `body` while `thread` holds slots without being inside an access.
    ///
    /// Deadlock detection includes these slots; reentrancy checks do not.
    func holding<T, E: Error>(
        _ slots: some Sequence<AccessSlot>,
        on thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        _ body: () throws(E) -> T
    ) throws(E) -> T {
        let outermost = thread.pointee.held
        for slot in slots {
            slot.site = site
            slot.outer = thread.pointee.held
            thread.pointee.held = Unmanaged.passUnretained(slot)
        }
        defer {
            thread.pointee.held = outermost
            for slot in slots { slot.outer = nil }
        }
        return try body()
    }

    /// Runs `body` while holding every slot.
    ///
    /// This method waits for running accesses and blocks new ones.
    ///
    /// All callers acquire the slots in the same order, so two callers never wait for each other.
    /// For a pool's readers, this order is not sufficient; see
    /// ``withAllConnections(_:at:readers:_:)``.
    ///
    /// `reserved` is a slot that the caller has reserved in another gate. Deadlock detection treats
    /// the slot as held during the wait.
    ///
    /// - Throws: The error that `body` throws, `SQLITE_MISUSE` if the gate is closed, and
    ///   `SQLITE_LOCKED` if the wait for a slot would be a deadlock.
    func withAllSlots<T>(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        reserved: AccessSlot? = nil,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        let held = try takeAll(thread, at: site, reserved: reserved)
        return try runInAccess(holding: held, thread, at: site, body)
    }

    /// Runs `body` while holding every slot, unless the gate closes during the wait.
    func withAllSlotsUnlessClosed(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        _ body: ([AccessSlot]) throws -> Void
    ) throws {
        let held: [AccessSlot]
        do {
            held = try takeAll(thread, at: site)
        } catch {
            if isClosed { return }
            throw error
        }
        try runInAccess(holding: held, thread, at: site, body)
    }

    private func takeAll(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        reserved: AccessSlot? = nil
    ) throws -> [AccessSlot] {
        var held: [AccessSlot] = []
        do {
            for slot in slots {
                try take(slot, on: thread, at: site, holding: held, reserved: reserved)
                held.append(slot)
                slot.database?.endKeptTransaction()
            }
        } catch {
            for slot in held { returnSlot(slot) }
            throw error
        }
        return held
    }

    private func runInAccess<T>(
        holding held: [AccessSlot],
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        defer { for slot in held { returnSlot(slot) } }
        // Enters an access on one slot, so that a nested access on this thread is detected as
        // reentrant.
        let entered = held.first { $0.database != nil } ?? held[0]
        entered.outer = thread.pointee.innermost
        entered.thread = thread
        entered.site = site
        thread.pointee.innermost = Unmanaged.passUnretained(entered)
        defer {
            thread.pointee.innermost = entered.outer
            entered.outer = nil
        }
        let others = held.filter { $0 !== entered }
        return try holding(others, on: thread, at: site) { try body(held) }
    }

    /// Acquires one specific slot, whether or not it has a connection.
    ///
    /// `held` contains the slots that the access has already acquired. `reserved` is the slot that
    /// the access has reserved in another gate.
    ///
    /// - Throws: `SQLITE_MISUSE` if the gate is closed, and `SQLITE_LOCKED` if the wait would be a
    ///   deadlock.
    func take(
        _ slot: AccessSlot,
        on thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        holding held: [AccessSlot] = [],
        reserved: AccessSlot? = nil
    ) throws {
        if slot.claimIdle() || slot.claimClosed() { return }
        let waiter = Waiter(
            site: site,
            intent: .write,
            sleeper: .thread(thread.pointee.parker),
            since: monotonicNanoseconds(),
            wanted: slot,
            holdings: thread.pointee.holdings + Holding.all(held, reserved: reserved, at: site)
        )
        _ = try waitInThread(waiter)
    }

    /// Closes all connections after the running accesses end, unless the gate is already closed.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements has not been finalized, and
    ///   `SQLITE_LOCKED` if waiting for the running accesses would be a deadlock. In both cases,
    ///   nothing is closed.
    func close(_ site: AccessSite, _ didClose: () -> Void = {}) throws {
        if isClosed { return }
        let thread = ThreadState.current
        preconditionNotReentrant(thread)
        try withAllSlotsUnlessClosed(thread, at: site) { slots in
            try Self.closeConnections(of: slots)
            retire()
            didClose()
        }
    }

    /// Closes the connections of slots that the caller holds.
    ///
    /// If one of the connections cannot be closed, this method throws an error and closes none of
    /// them.
    static func closeConnections(of slots: [AccessSlot]) throws {
        for slot in slots { try slot.database?.prepareToClose() }
        for slot in slots { slot.uninstall()?.closeIgnoringErrors() }
    }

    /// Schedules each connection to close as soon as the connection is free.
    func closeConnectionsEventually(_ site: AccessSite) {
        for slot in slots where slot.isOpen || slot.isTaken {
            _ = acquire(site, intent: .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.uninstall()?.closeIgnoringErrors()
                returnSlot(slot)
            }
        }
    }

    /// Schedules `body` to run on each open connection as soon as the connection is free.
    func withEachConnectionEventually(
        at site: AccessSite,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        for slot in slots where slot.isOpen {
            _ = acquire(site, intent: .maintenance, wanted: slot) { [self] result in
                guard case .success(let slot) = result else { return }
                slot.executor.async { [self] in
                    if let database = slot.database { body(database) }
                    returnSlot(slot)
                }
            }
        }
    }

    /// Closes all open connections.
    ///
    /// Call this method after the last reference to the database is released, when no access can
    /// run. A thread that ends kept transactions or releases memory may still hold a slot briefly.
    func shutDown() {
        for slot in slots {
            while !slot.claimIdle(), !slot.claimClosed() {
                if slot.isRetired { break }
                sched_yield()
            }
            slot.uninstall()?.closeIgnoringErrors()
        }
        retire()
        for slot in slots { slot.free(AccessSlot.State.retired) }
    }

    /// Rejects all future accesses.
    ///
    /// Waiting accesses throw `SQLITE_MISUSE`. The caller must hold all slots.
    func retire() {
        let waiters = queue.withLock { queue in
            queue.isClosed = true
            let waiters = queue.removeAll(at: monotonicNanoseconds())
            conditions.wrappingSubtract(waiters.count, ordering: .sequentiallyConsistent)
            return waiters
        }
        for waiter in waiters {
            waiting.end(waiter)
            wake(waiter, with: .failure(DatabaseError.connectionIsClosed()))
        }
    }
}

// MARK: - Without blocking a thread

extension AccessGate {
    /// Runs a task's access on the writer while holding all readers.
    ///
    /// - Throws: The error that `body` throws, and `CancellationError` as soon as the task is
    ///   canceled.
    func performWithAllConnections<T: Sendable>(
        at site: AccessSite,
        readers: AccessGate,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        _ = try await acquireForTask(site, intent: .write, wanted: slots[0])
        reserve()
        do {
            try await readers.acquireAll(site, reserved: slots[0])
        } catch {
            endReservation()
            throw error
        }
        defer { readers.returnAllSlots() }
        return try await perform(site, .write, holding: claimReservation()) { db in
            try readers.holding(readers.slots, on: ThreadState.current, at: site) { try body(db) }
        }
    }

    func performWithAllConnectionsLater(
        at site: AccessSite,
        readers: AccessGate,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent: .write) { [self] result in
            // The current thread may be releasing the slot inside another access, so the work
            // continues on a different thread.
            slots[0].executor.async { [self] in
                if case .failure(let error) = result {
                    failure(error)
                    return
                }
                reserve()
                readers.acquireAllLater(at: site, reserved: slots[0]) { [self] result in
                    if case .failure(let error) = result {
                        endReservation()
                        failure(error)
                        return
                    }
                    let slot = claimReservation()
                    slot.executor.async { [self] in
                        let thread = ThreadState.current
                        enter(slot, on: thread, at: site)
                        defer {
                            leaveOpenOrClosed(slot)
                            readers.returnAllSlots()
                        }
                        readers.holding(readers.slots, on: thread, at: site) {
                            body(slot.openDatabase)
                        }
                    }
                }
            }
        }
    }

    /// Acquires every slot for a task.
    ///
    /// This method waits for running accesses and blocks new ones. The caller must release the
    /// slots with ``returnAllSlots()``. `reserved` is a slot that the caller has reserved in
    /// another gate.
    func acquireAll(_ site: AccessSite, reserved: AccessSlot) async throws {
        var held = 0
        do {
            for slot in slots {
                let holdings = Holding.all(slots[..<held], reserved: reserved, at: site)
                _ = try await acquireForTask(site, intent: .write, wanted: slot, holdings: holdings)
                held += 1
                slot.database?.endKeptTransaction()
            }
        } catch {
            for slot in slots[..<held] { returnSlot(slot) }
            throw error
        }
    }

    func returnAllSlots() {
        for slot in slots { returnSlot(slot) }
    }

    /// Acquires every slot for a callback.
    ///
    /// This method waits for running accesses and blocks new ones.
    ///
    /// `completion` may run on any thread. It receives a failure if the gate is closed or the wait
    /// would be a deadlock. After success, the caller must call ``returnAllSlots()``. `reserved` is
    /// a slot that the caller has reserved in another gate.
    func acquireAllLater(
        at site: AccessSite,
        from index: Int = 0,
        reserved: AccessSlot,
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        guard index < slots.count else {
            completion(.success(()))
            return
        }
        let holdings = Holding.all(slots[..<index], reserved: reserved, at: site)
        _ = acquire(site, intent: .write, wanted: slots[index], holdings: holdings) {
            [self] result in
            switch result {
            case .success(let slot):
                // The current thread may be releasing the slot inside another access, so the work
                // continues on a different thread.
                slot.executor.async { [self] in
                    slot.database?.endKeptTransaction()
                    acquireAllLater(at: site, from: index + 1, reserved: reserved, completion)
                }
            case .failure(let error):
                for slot in slots[..<index] { returnSlot(slot) }
                slots[index].executor.async { completion(.failure(error)) }
            }
        }
    }
}
