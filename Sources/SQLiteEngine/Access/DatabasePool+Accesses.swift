extension DatabasePool {
    // If these methods were in ``GatedDatabase``, this class's synchronous methods would satisfy the
    // asynchronous requirements.

    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.readInTask(site, value)
    }

    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.writeInTask(site, updates)
    }

    /// Reads in one transaction on this thread if an open reader is free and no access is
    /// waiting.
    ///
    /// - Returns: Whether the read took place. The result is `false` inside another read, and if
    ///   the configuration specifies a dispatch queue for reads.
    func readIfFree(at site: AccessSite, _ body: (Database) -> Void) -> Bool {
        let thread = ThreadState.current
        guard !readers.hasTargetQueue, thread.pointee.access(through: readers) == nil,
            let slot = readers.claimFree()
        else { return false }
        readers.enter(slot, thread, site)
        defer { readers.leave(slot) }
        let database = slot.openDatabase
        guard (try? database.beginReadAccess()) != nil else { return false }
        body(database)
        _ = try? database.endReadAccess(mayHaveWritten: false, mayKeep: { readers.allowsKeeping })
        return true
    }

    // MARK: The state that was just committed

    /// Schedules a read of the state that the writer has just committed.
    ///
    /// Call this method on a thread that holds the writer and has no open transaction: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Calling it at any other
    /// time is a fatal error. The method returns after a free reader has captured the state, so the
    /// read does not include later writes. If no connection is available, `value` receives an
    /// error.
    public func asyncConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        spawnConcurrentRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Schedules a read of the state that the writer has just committed.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let thread = ThreadState.current
        guard let holder = thread.pointee.access(through: writer) else {
            fatalError("A concurrent read was started by a thread that does not hold the writer.")
        }
        requirement(
            !holder.openDatabase.isInsideTransaction,
            """
            A concurrent read must not be started inside a transaction: it would not see the \
            changes. Start the read in writeWithoutTransaction, after the transaction is committed.
            """
        )
        readers.preconditionNotReentrant(thread)
        let slot: AccessSlot
        do {
            slot = try enterCommittedState(thread, site)
        } catch {
            value(.failure(error))
            return
        }
        slot.executor.async { [self] in
            readers.attach(slot, to: ThreadState.current)
            let database = slot.openDatabase
            value(.success(database))
            _ = try? database.endReadAccess(mayHaveWritten: false)
            readers.leave(slot)
        }
    }

    /// Starts a read that another thread can continue.
    ///
    /// The read uses the last committed state.
    private func enterCommittedState(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite
    ) throws -> AccessSlot {
        let slot = try readers.enter(thread, site, .read)
        let database = slot.openDatabase
        do {
            try database.beginReadAccess()
            try database.captureState()
        } catch {
            database.abandonTransaction()
            readers.leave(slot)
            throw error
        }
        readers.detach(slot, from: thread)
        return slot
    }

    // MARK: Barriers

    /// Runs a closure on the writer connection while no reader is in use.
    ///
    /// The method waits for running reads and blocks new ones.
    public func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        writer.preconditionNotReentrant(thread)
        return try writer.withAllConnections(thread, site, readers: readers) { slot, _ in
            writer.enter(slot, thread, site)
            defer { writer.leave(slot) }
            let database = slot.openDatabase
            defer { database.preconditionNoTransactionIsLeftOpen() }
            return try writer.hasTargetQueue
                ? writer.runOnQueue(database, updates) : updates(database)
        }
    }

    /// Runs a closure on the writer connection while no reader is in use, without blocking the
    /// thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.performWithAllConnections(site, readers: readers) { db in
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try db.withoutTransaction(updates)
        }
    }

    /// Schedules a closure on the writer connection while no reader is in use, and returns
    /// immediately.
    public func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.performWithAllConnectionsLater(site, readers: readers) {
            updates(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                updates(.success(db))
                db.preconditionNoTransactionIsLeftOpen()
            }
        }
    }
}
