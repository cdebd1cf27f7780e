/// Acquires all of a pool's connections without a deadlock.
///
/// A write may be nested in a read, and a read in a write. An access that needs all connections
/// must therefore not hold some connections while it waits for others. The thread that holds an
/// awaited connection may itself be waiting for one of the held connections. The following order
/// prevents a deadlock:
///
/// 1. The access acquires the writer first, like any write. No thread that waits for a reader then
///    holds the writer.
/// 2. The access only *reserves* the writer while it waits for the readers. A thread inside a read
///    may borrow the writer and returns it to the reservation. All readers therefore become free
///    eventually.
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
        _ site: AccessSite,
        readers: AccessGate,
        _ body: (_ writer: AccessSlot, _ readers: [AccessSlot]) throws -> T
    ) throws -> T {
        try take(slots[0], thread, site)
        reserve()
        var isReserved = true
        defer { if isReserved { endReservation() } }
        return try readers.withAllSlots(thread, site, reserved: slots[0]) { held in
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
}

// MARK: - Without blocking a thread

extension AccessGate {
    /// Runs a task's access on the writer while holding all readers.
    ///
    /// - Throws: The error that `body` throws, and `CancellationError` as soon as the task is
    ///   canceled.
    func performWithAllConnections<T: Sendable>(
        _ site: AccessSite,
        readers: AccessGate,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        _ = try await acquireForTask(site, .write, wanted: slots[0])
        reserve()
        do {
            try await readers.acquireAll(site, reserved: slots[0])
        } catch {
            endReservation()
            throw error
        }
        defer { readers.returnAllSlots() }
        return try await perform(site, .write, holding: claimReservation()) { db in
            try readers.holding(readers.slots, ThreadState.current, site) { try body(db) }
        }
    }

    func performWithAllConnectionsLater(
        _ site: AccessSite,
        readers: AccessGate,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, .write) { [self] result in
            // The current thread may be releasing the slot inside another access, so the work
            // continues on a different thread.
            slots[0].executor.async { [self] in
                if case .failure(let error) = result {
                    failure(error)
                    return
                }
                reserve()
                readers.acquireAllLater(site, reserved: slots[0]) { [self] result in
                    if case .failure(let error) = result {
                        endReservation()
                        failure(error)
                        return
                    }
                    let slot = claimReservation()
                    slot.executor.async { [self] in
                        let thread = ThreadState.current
                        enter(slot, thread, site)
                        defer {
                            leaveOpenOrClosed(slot)
                            readers.returnAllSlots()
                        }
                        readers.holding(readers.slots, thread, site) { body(slot.openDatabase) }
                    }
                }
            }
        }
    }
}
