extension DatabaseQueue {
    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.perform(site, .write) { db in try db.withWriteTransaction(updates) }
    }

    /// Runs a closure on the connection without a transaction: each statement commits separately.
    public func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try gate.withConnection(site, .write, onQueue: hasQueue, updates)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    public func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.perform(site, .write) { db in
            db.endKeptTransaction()
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try updates(db)
        }
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        gate.performWithoutTransactionLater(site, keeping: self, updates)
    }

    /// Runs a closure on the connection without a transaction.
    ///
    /// - Throws: The error that `updates` throws, or `SQLITE_MISUSE` if the database is closed.
    public func inDatabase<T, E: Error>(
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in a transaction that commits or rolls back, depending on the result of `updates`.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) { db in
            try db.inTransaction(kind) { try updates(db) }
        }
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
        try inTransaction(kind, updates, fileID: fileID, line: line)
    }

    /// Runs a closure on the connection without a transaction, even if the thread already holds the
    /// connection.
    public func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try updates(slot.openDatabase)
        }
        return try writeWithoutTransaction(at: site, updates)
    }

    // MARK: Barriers, which are ordinary accesses because a queue has no readers

    /// Runs a closure on the connection without a transaction.
    public func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try writeWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(at: site, updates)
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performLater(site, .write) {
            updates(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                db.endKeptTransaction()
                updates(.success(db))
                db.preconditionNoTransactionIsLeftOpen()
            }
        }
    }

    // MARK: Memory and locks

    /// Releases as much of the connection's memory as possible, blocking the thread.
    public func releaseMemory(fileID: StaticString = #fileID, line: UInt = #line) {
        writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) {
            $0.releaseMemory()
        }
    }

    /// Refuses new locks, interrupts the running access, and ends the read transaction that the
    /// idle connection keeps.
    func suspend() {
        guard suspension.begin() else { return }
        gate.forbidKeeping()
        interrupts.interrupt(gate.slots)
    }

    func resume() {
        if suspension.end() { gate.allowKeeping() }
    }
}
