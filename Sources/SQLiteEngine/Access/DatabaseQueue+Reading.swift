extension DatabaseQueue {
    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.perform(site, .read) { db in
            try db.readOnly {
                try db.withReadTransaction(mayKeep: { gate.allowsKeeping }, value)
            }
        }
    }

    /// Schedules a read in one transaction, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performLater(site, .read) {
            value(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                db.endKeptTransaction()
                Self.read(on: db, value)
            }
        }
    }

    /// Runs a closure on the connection without a transaction.
    ///
    /// The connection accepts statements that write.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try gate.withConnection(site, .read, onQueue: hasQueue, value)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    ///
    /// The connection accepts statements that write.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.perform(site, .read) { db in
            db.endKeptTransaction()
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try value(db)
        }
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    ///
    /// The connection accepts statements that write.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performLater(site, .read) {
            value(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                db.endKeptTransaction()
                value(.success(db))
                db.preconditionNoTransactionIsLeftOpen()
            }
        }
    }

    /// Runs a closure on the connection without a transaction, even if the thread already holds the
    /// connection.
    ///
    /// The connection accepts statements that write, unless the enclosing access refuses them.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try value(slot.openDatabase)
        }
        return try unsafeRead(at: site, value)
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
        Self.read(on: database, value)
    }

    private static func read(
        on database: Database,
        _ value: @Sendable (Result<Database, any Error>) -> Void
    ) {
        // Refuses writes during the whole transaction. The commit writes nothing and is therefore
        // not refused.
        database.readOnlyDepth += 1
        defer { database.readOnlyDepth -= 1 }
        do {
            try database.beginReadAccess()
        } catch {
            value(.failure(error))
            return
        }
        value(.success(database))
        _ = try? database.endReadAccess()
    }
}
