extension DatabaseQueue {
    // If these methods were in ``GatedDatabase``, this class's synchronous methods would satisfy
    // the asynchronous requirements.

    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.readInTask(site, value)
    }

    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.writeInTask(site, updates)
    }

    /// Reads the state that was just committed.
    ///
    /// A queue has only one connection, so this method returns after the read.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        guard let holder = ThreadState.current.pointee.access(through: gate) else {
            fatalError("A concurrent read was started by a thread that does not hold the writer.")
        }
        let database = holder.openDatabase
        requirement(
            !database.isInsideTransaction,
            "A concurrent read must not be started inside a transaction."
        )
        gate.read(on: database, value)
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
        try writeInTransaction(kind, updates, fileID: fileID, line: line)
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
        gate.performWithoutTransactionLater(site, .write, keeping: self, updates)
    }

    // MARK: Memory

    /// Releases as much of the connection's memory as possible, blocking the thread.
    public func releaseMemory(fileID: StaticString = #fileID, line: UInt = #line) {
        writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) {
            $0.releaseMemory()
        }
    }
}
