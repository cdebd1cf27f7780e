extension DatabasePool {
    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.perform(site, .write) { db in try db.withWriteTransaction(updates) }
    }

    /// Runs a closure on the writer connection without a transaction: each statement commits
    /// separately.
    public func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writer.withConnection(site, .write, onQueue: hasWriteQueue, updates)
    }

    /// Runs a closure on the writer connection without a transaction, and without blocking the
    /// thread.
    public func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.perform(site, .write) { db in
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try updates(db)
        }
    }

    /// Schedules a closure on the writer connection, without a transaction, and returns
    /// immediately.
    public func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        writer.performWithoutTransactionLater(site, keeping: self, updates)
    }

    /// Writes in a transaction that commits or rolls back, depending on the result of `updates`.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    /// Runs a closure on the writer connection without a transaction, even if the thread already
    /// holds the writer.
    public func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let slot = ThreadState.current.pointee.access(through: writer) {
            return try updates(slot.openDatabase)
        }
        return try writeWithoutTransaction(at: site, updates)
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
            return try hasWriteQueue
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
            return try updates(db)
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
