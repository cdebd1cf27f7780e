extension DatabasePool {
    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.perform(site, .read) { db in
            try db.withReadTransaction(mayKeep: { readers.allowsKeeping }, value)
        }
    }

    /// Schedules a read in one transaction, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.performLater(site, .read) {
            value(.failure($0))
        } _: { [self] db in
            do {
                try db.beginReadAccess()
            } catch {
                value(.failure(error))
                return
            }
            value(.success(db))
            // No caller can receive the error from a failed commit, and the transaction has ended
            // in any case.
            _ = try? db.endReadAccess(mayHaveWritten: false, mayKeep: { readers.allowsKeeping })
        }
    }

    /// Reads in one transaction on this thread if a reader is open and free and no access waits.
    ///
    /// - Returns: Whether the read took place. The result is `false` inside another read, and if
    ///   the user has set a dispatch queue for reads.
    func readIfFree(at site: AccessSite, _ value: (Database) -> Void) -> Bool {
        let thread = ThreadState.current
        guard !hasReadQueue, thread.pointee.access(through: readers) == nil,
            let slot = readers.claimFree()
        else { return false }
        readers.enter(slot, thread, site)
        defer { readers.leave(slot) }
        let database = slot.openDatabase
        guard (try? database.beginReadAccess()) != nil else { return false }
        value(database)
        _ = try? database.endReadAccess(mayHaveWritten: false, mayKeep: { readers.allowsKeeping })
        return true
    }

    /// Reads without a transaction: two statements may see different states of the database.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        let slot = try readers.enter(thread, site, .read)
        defer { readers.leave(slot) }
        let database = slot.openDatabase
        database.endKeptTransaction()
        defer { database.endUnsafeAccess() }
        return try hasReadQueue ? readers.runOnQueue(database, value) : value(database)
    }

    /// Reads without a transaction and without blocking the thread.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.perform(site, .read) { db in
            db.endKeptTransaction()
            defer { db.endUnsafeAccess() }
            return try value(db)
        }
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.performLater(site, .read) {
            value(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                db.endKeptTransaction()
                value(.success(db))
                db.endUnsafeAccess()
            }
        }
    }

    /// Reads without a transaction, on the connection that the thread already holds or on a free
    /// reader.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current.pointee
        // A thread that holds all readers does not necessarily hold an open one.
        if let database = thread.access(through: readers)?.database {
            return try value(database)
        }
        if let slot = thread.access(through: writer) { return try value(slot.openDatabase) }
        return try unsafeRead(at: site, value)
    }

    // MARK: The state that was just committed

    /// Schedules a read of the state that the writer has just committed.
    ///
    /// Call this method on a thread that holds the writer and has no open transaction: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Calling it at any other
    /// time is a fatal error. The method returns after a free reader has captured the state, so the
    /// read does not see later writes. If no connection is available, `value` receives an error.
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
            changes. Use writeWithoutTransaction, and transactions inside it.
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

    /// Starts a read of the last committed state that another thread can continue.
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
}
