extension AccessGate {
    /// Acquires a connection for the thread.
    ///
    /// If the access leaves a transaction open, the program stops. If `onQueue` is `true`, the
    /// access runs on the connection's dispatch queue.
    func withConnection<T, E: Error>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        onQueue: Bool,
        _ body: (Database) throws(E) -> T
    ) throws(E) -> T {
        let thread = ThreadState.current
        preconditionNotReentrant(thread)
        let slot: AccessSlot
        do {
            slot = try enter(thread, site, intent)
        } catch {
            return try Database.standIn(for: error, label: slots[0].label, body)
        }
        defer { leave(slot) }
        let database = slot.openDatabase
        database.endKeptTransaction()
        defer { database.preconditionNoTransactionIsLeftOpen() }
        return try onQueue ? runOnQueue(database, body) : body(database)
    }

    /// Schedules `body` to run with a connection on another thread.
    ///
    /// If the access leaves a transaction open, the program stops. If no connection is available,
    /// `body` receives a connection on which every statement throws. The access retains `owner`
    /// until `body` returns.
    func performWithoutTransactionLater(
        _ site: AccessSite,
        keeping owner: any DatabaseWriter,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        performLater(site, .write) { [self] error in
            body(Database.makeStandIn(label: slots[0].label, for: error))
        } _: { db in
            withExtendedLifetime(owner) {
                db.endKeptTransaction()
                body(db)
                db.preconditionNoTransactionIsLeftOpen()
            }
        }
    }

    /// Acquires every slot for a callback.
    ///
    /// This method waits for running accesses and blocks new ones.
    ///
    /// `completion` may run on any thread. It receives a failure if the gate is closed or the wait
    /// would be a deadlock. After success, the caller must call ``returnAllSlots()``. `reserved` is
    /// a slot that the caller has reserved in another gate.
    func acquireAllLater(
        _ site: AccessSite,
        from index: Int = 0,
        reserved: AccessSlot,
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        guard index < slots.count else {
            completion(.success(()))
            return
        }
        let holdings = Holding.all(slots[..<index], reserved, site)
        _ = acquire(site, .write, wanted: slots[index], holdings: holdings) { [self] result in
            switch result {
            case .success(let slot):
                // The current thread may be releasing the slot inside another access, so the work
                // continues on a different thread.
                slot.executor.async { [self] in
                    slot.database?.endKeptTransaction()
                    acquireAllLater(site, from: index + 1, reserved: reserved, completion)
                }
            case .failure(let error):
                for slot in slots[..<index] { returnSlot(slot) }
                slots[index].executor.async { completion(.failure(error)) }
            }
        }
    }
}
