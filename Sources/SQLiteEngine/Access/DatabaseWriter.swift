/// A database that can be written: a queue or a pool.
///
/// The methods whose closure may throw nothing, and which then throw nothing either, are declared
/// with the error's type: on a closed database they throw `SQLITE_MISUSE` where the closure may
/// throw, and elsewhere give it a connection whose statements all do.
public protocol DatabaseWriter: DatabaseReader {
    /// Writes in one transaction; blocks the thread.
    func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T

    /// Writes in one transaction, without blocking the thread.
    func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Provides the writer without a transaction; blocks the thread.
    func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T

    /// Provides the writer without a transaction, and without blocking the thread.
    func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Provides the writer without a transaction later, on another thread.
    func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    )

    /// Provides the writer while no read is running; blocks the thread.
    func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T

    /// Provides the writer while no read is running, without blocking the thread.
    func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Provides the writer while no read is running, later, on another thread.
    func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    )

    /// Uses the writer that the thread already holds, or waits for it; no transaction.
    func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T

    /// Reads the state that the writer, which the thread holds, has just committed.
    func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    )
}

// MARK: - Forms that fill in the place of the call

extension DatabaseWriter {
    /// Writes in one transaction; blocks the thread.
    ///
    /// It commits when `updates` returns, and rolls back when it throws.
    ///
    /// - Parameters:
    ///   - updates: Writes. A `write` of the same database inside it is a fatal error.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: The value that the closure returns.
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    @inlinable
    public func write<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try write(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction, as an access that `status()` shows under a name.
    @inlinable
    public func write<T>(as label: AccessLabel, _ updates: (Database) throws -> T) throws -> T {
        try write(at: AccessSite(label), updates)
    }

    /// Writes in one transaction, without blocking the thread.
    ///
    /// - Throws: The error that `updates` throws, ``DatabaseError``, and `CancellationError` when the task
    ///   is cancelled: at once, also while the access still waits for its turn.
    public func write<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await write(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction, without blocking the thread, under a name.
    public func write<T: Sendable>(
        as label: AccessLabel,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await write(at: AccessSite(label), updates)
    }

    /// Provides the writer without a transaction: each statement commits on its own.
    ///
    /// A transaction that `updates` leaves open is a fatal error, unless
    /// ``Configuration/allowsUnsafeTransactions``.
    ///
    /// - Throws: The error that `updates` throws; on a closed database `SQLITE_MISUSE`.
    public func writeWithoutTransaction<T, E: Error>(
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Provides the writer without a transaction, as an access that `status()` shows under a name.
    public func writeWithoutTransaction<T, E: Error>(
        as label: AccessLabel,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writeWithoutTransaction(at: AccessSite(label), updates)
    }

    /// Provides the writer without a transaction, and without blocking the thread.
    ///
    /// - Throws: The error that `updates` throws, ``DatabaseError``, and `CancellationError`.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Provides the writer without a transaction later, on another thread, after those that were
    /// asked for before.
    ///
    /// On a closed database, `updates` gets a connection whose statements all throw
    /// `SQLITE_MISUSE`.
    public func asyncWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Database) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction later, on another thread, after those that were asked for before.
    ///
    /// - Parameters:
    ///   - updates: Writes. It commits when `updates` returns, and rolls back when it throws.
    ///   - completion: Called on the writer, outside the transaction, with what became of it.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    public func asyncWrite<T>(
        _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Database, Result<T, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) { db in
            if let error = db.standInError {
                completion(db, .failure(error))
            } else {
                completion(db, Result { try db.withWriteTransaction(updates) })
            }
        }
    }

    /// Provides the writer while no read is running: waits for running reads, keeps new ones out.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    public func barrierWriteWithoutTransaction<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try barrierWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Provides the writer while no read is running, without blocking the thread.
    ///
    /// - Throws: The error that `updates` throws, ``DatabaseError``, and `CancellationError`.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        let site = AccessSite(fileID: fileID, line: line)
        return try await barrierWriteWithoutTransaction(at: site, updates)
    }

    /// Provides the writer while no read is running, later, on another thread.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncBarrierWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Uses the writer that the thread already holds, or waits for it; no transaction.
    ///
    /// - Throws: The error that `updates` throws; on a closed database `SQLITE_MISUSE`.
    public func unsafeReentrantWrite<T, E: Error>(
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try unsafeReentrantWrite(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Reads the state that the writer has just committed: concurrently where there are readers.
    ///
    /// Call it where you hold the writer and no transaction is open: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Elsewhere it is a fatal
    /// error. In a queue, `value` has run when it returns.
    ///
    /// - Parameters:
    ///   - value: Called once: with a connection that shows exactly the last committed state,
    ///     whatever is written from here on, or with the error that there is none.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    public func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        spawnConcurrentRead(at: AccessSite(fileID: fileID, line: line), value)
    }
}
