/// Reads that are not in one transaction, or not on the caller's thread.
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

    /// Reads in one transaction later, on another thread.
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
            // A commit that fails has no one to hear of it; the transaction is over all the same.
            _ = try? db.endReadAccess(mayHaveWritten: false, mayKeep: { readers.allowsKeeping })
        }
    }

    /// Reads in one transaction at once, on this thread, when a reader is open and free and nobody
    /// waits for one.
    ///
    /// - Returns: Whether it did; not inside another read, nor where the user chose the queue of
    ///   reads.
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

    /// Reads without a transaction: two statements may see two states of the database.
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

    /// Reads without a transaction later, on another thread.
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

    /// Reads on the reader or the writer that the thread already holds, or on a free reader; no
    /// transaction.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current.pointee
        // Who holds all readers may hold none that is open.
        if let database = thread.access(through: readers)?.database {
            return try value(database)
        }
        if let slot = thread.access(through: writer) { return try value(slot.openDatabase) }
        return try unsafeRead(at: site, value)
    }

    // MARK: The state that was just committed

    /// Reads the state that the writer has just committed, on another thread.
    ///
    /// Call it where you hold the writer and no transaction is open: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Elsewhere it is a fatal
    /// error. It waits for a reader that is free, and for it to take the state: what is written
    /// after the call is not seen.
    ///
    /// - Parameters:
    ///   - value: Called once: with a connection that shows exactly the last committed state, or
    ///     with the error that there is none.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    public func asyncConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        spawnConcurrentRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads the state that the writer has just committed, on another thread.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let thread = ThreadState.current
        guard let holder = thread.pointee.access(through: writer) else {
            fatalError("A concurrent read is asked for by who does not hold the writer.")
        }
        requirement(
            !holder.openDatabase.isInsideTransaction,
            """
            A concurrent read must not be asked for inside of a transaction: it would not see its \
            changes. Use writeWithoutTransaction, and transactions inside of it.
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

    /// Takes a reader that shows the last committed state, off the thread.
    private func enterCommittedState(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite
    ) throws -> AccessSlot {
        let slot = try readers.enter(thread, site, .read)
        let database = slot.openDatabase
        do {
            try database.beginReadAccess()
            try database.takeState()
        } catch {
            database.abandonTransaction()
            readers.leave(slot)
            throw error
        }
        readers.detach(slot, from: thread)
        return slot
    }
}
