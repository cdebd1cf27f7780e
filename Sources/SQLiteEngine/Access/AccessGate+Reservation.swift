/// Acquiring all connections of a pool without a deadlock.
///
/// A write inside a read is allowed, and so is a read inside a write. An access that needs all
/// connections must therefore not hold some of them while it waits for others: the thread that
/// holds the awaited connection may itself wait for a held one. The following order cannot
/// deadlock:
///
/// 1. The access acquires the writer first, like any write. Then no thread that waits for a reader
///    holds the writer.
/// 2. The access only *reserves* the writer while it waits for the readers. A thread inside a read
///    may borrow the writer and returns it to the reservation. All readers therefore become free
///    eventually.
/// 3. When the access holds all readers, the writer is back: no thread is inside a read and could
///    have borrowed it.
///
/// The methods belong to the gate of a pool's writer, which has a reference to the gate of the
/// readers.
extension AccessGate {
    /// Runs `body` while it holds the writer and all readers: waits for running accesses and keeps
    /// new ones out.
    ///
    /// - Throws: The error that `body` throws; `SQLITE_MISUSE` when the pool is closed.
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

    /// Whether the thread may borrow the writer, because it is inside a read.
    func mayBorrow(_ thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        guard let readers, thread.pointee.holdsSlots else { return false }
        return thread.pointee.isInside(readers)
    }
}

// MARK: - Without blocking a thread

extension AccessGate {
    /// Runs an access of a task on the writer while it holds all readers.
    ///
    /// - Throws: The error that `body` throws; `CancellationError` immediately when the task is
    ///   cancelled.
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

    /// Runs an access for a callback on the writer while it holds all readers.
    func performWithAllConnectionsLater(
        _ site: AccessSite,
        readers: AccessGate,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, .write) { [self] result in
            // Not on this thread: it may be releasing the slot inside another access.
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
