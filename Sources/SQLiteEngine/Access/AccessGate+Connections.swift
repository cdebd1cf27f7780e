/// Accesses that get a connection without a transaction.
extension AccessGate {
    /// Gives the thread a connection; a transaction that is left open is a fatal error.
    ///
    /// With `onQueue`, the access goes through the connection's dispatch queue.
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

    /// Gives a callback a connection, on another thread.
    ///
    /// A transaction that is left open is a fatal error. When there is no connection, `body` gets
    /// one whose statements all throw. The `owner` lives until then.
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

    /// Takes every slot for a callback: running accesses are awaited, new ones kept out.
    ///
    /// The completion is called on any thread, with a failure when the gate was closed or the wait
    /// would be a deadlock. On success ``giveBackAll()`` must follow. The caller has `reserved` a
    /// slot of another gate.
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
                // Not here: this may be somebody's release of the slot.
                slot.executor.async { [self] in
                    slot.database?.endKeptTransaction()
                    acquireAllLater(site, from: index + 1, reserved: reserved, completion)
                }
            case .failure(let error):
                for slot in slots[..<index] { giveBack(slot) }
                slots[index].executor.async { completion(.failure(error)) }
            }
        }
    }
}
