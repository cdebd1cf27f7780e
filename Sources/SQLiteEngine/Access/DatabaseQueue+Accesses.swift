extension DatabaseQueue {
    // MARK: Reading

    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.readInTask(site, value)
    }

    /// Schedules a read in one transaction, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.readLater(site, keeping: self, value)
    }

    /// Runs a closure on the connection without a transaction.
    ///
    /// The connection accepts statements that write.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try gate.withConnection(site, .read, value)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    ///
    /// The connection accepts statements that write.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.performWithoutTransaction(site, .read, value)
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    ///
    /// The connection accepts statements that write.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performWithoutTransactionLater(site, .read, keeping: self, value)
    }

    /// Runs a closure on the connection without a transaction, even if the thread already holds the
    /// connection.
    ///
    /// The connection accepts statements that write, unless the enclosing access refuses them.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        try gate.withCurrentConnection(site, .read, value)
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

    // MARK: Writing

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
        try gate.withConnection(site, .write, updates)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    public func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.performWithoutTransaction(site, .write, updates)
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        gate.writeWithoutTransactionLater(site, keeping: self, updates)
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

    /// Runs a closure on the connection without a transaction, even if the thread already holds the
    /// connection.
    public func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try gate.withCurrentConnection(site, .write, updates)
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
