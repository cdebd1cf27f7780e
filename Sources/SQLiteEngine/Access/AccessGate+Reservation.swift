/// How all connections of a pool are taken, without a deadlock.
///
/// A write inside a read is legal, and a read inside a write. So whoever wants all
/// connections may not simply hold some while it waits for others: the thread that has one of
/// those may be waiting for one of these. The rule that cannot deadlock:
///
/// 1. The writer comes first, as any write gets it. Then no thread that waits for a reader has it.
/// 2. It is only *reserved* while the readers are awaited: a thread that is inside a read may
///    borrow it, and gives it back to the reservation. So all readers come free at last.
/// 3. Who holds all readers finds the writer at home: nobody is inside a read who could have
///    borrowed it.
///
/// These are methods of a pool's writer; its gate knows that of the readers.
extension AccessGate {
    /// Runs `body` while the writer and all readers are held: running accesses are awaited, new
    /// ones kept out.
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

    /// Whether the thread may borrow the writer: it is inside a read.
    func mayBorrow(_ thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        guard let readers, thread.pointee.holdsSlots else { return false }
        return thread.pointee.isInside(readers)
    }
}

// MARK: - Without blocking a thread

extension AccessGate {
    /// Runs an access of a task with the writer while all readers are held.
    ///
    /// - Throws: The error that `body` throws; `CancellationError` at once when the task is cancelled.
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
        defer { readers.giveBackAll() }
        return try await perform(site, .write, holding: claimReservation()) { db in
            try readers.holding(readers.slots, ThreadState.current, site) { try body(db) }
        }
    }

    /// Runs an access for a callback with the writer while all readers are held.
    func performWithAllConnectionsLater(
        _ site: AccessSite,
        readers: AccessGate,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, .write) { [self] result in
            // Not here: this may be somebody's release of the slot.
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
                            leaveOpenOrNot(slot)
                            readers.giveBackAll()
                        }
                        readers.holding(readers.slots, thread, site) { body(slot.openDatabase) }
                    }
                }
            }
        }
    }
}
