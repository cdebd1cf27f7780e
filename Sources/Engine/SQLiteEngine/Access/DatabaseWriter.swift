/// A database that supports writes: a queue or a pool.
///
/// Some methods throw only the error type of their closure. If the database is closed and the
/// closure can throw a ``DatabaseError``, these methods throw `SQLITE_MISUSE`. Otherwise, they pass
/// a connection on which every statement throws this error.
public protocol DatabaseWriter: DatabaseReader {
    /// Writes in one transaction, blocking the thread.
    func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T

    /// Writes in one transaction, without blocking the thread.
    func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Runs a closure on the writer connection without a transaction, blocking the thread.
    func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T

    /// Runs a closure on the writer connection without a transaction, and without blocking the
    /// thread.
    func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a closure on the writer connection, without a transaction, and returns
    /// immediately.
    func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    )

    /// Runs a closure on the writer connection while no read is running, blocking the thread.
    func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T

    /// Runs a closure on the writer connection while no read is running, without blocking the
    /// thread.
    func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a closure on the writer connection while no read is running, and returns
    /// immediately.
    func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    )

    /// Runs a closure on the writer connection without a transaction, even if the thread already
    /// holds the writer.
    func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T

    /// Reads the state that the writer has just committed.
    ///
    /// The calling thread must hold the writer.
    func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    )
}

// MARK: - Methods that pass the call site

extension DatabaseWriter {
    /// Writes in one transaction, blocking the thread.
    ///
    /// The transaction commits when `updates` returns, and rolls back when `updates` throws.
    /// Calling `write` on the same database inside `updates` is a fatal error. `status()` shows
    /// `label` for the access, or the file and line of the call.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    @inlinable
    public func write<T>(
        as label: AccessLabel? = nil,
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try write(at: AccessSite(label, fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction, without blocking the thread.
    ///
    /// `status()` shows `label` for the access, or the file and line of the call.
    ///
    /// - Throws: The error that `updates` throws, ``DatabaseError``, and `CancellationError` as
    ///   soon as the task is canceled, even while the access waits for a connection.
    public func write<T: Sendable>(
        as label: AccessLabel? = nil,
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await write(at: AccessSite(label, fileID: fileID, line: line), updates)
    }

    /// Runs a closure on the writer connection without a transaction, so that each statement
    /// commits separately.
    ///
    /// Leaving a transaction open is a fatal error unless
    /// ``Configuration/allowsUnsafeTransactions`` is set. `status()` shows `label` for the access,
    /// or the file and line of the call.
    ///
    /// - Throws: The error that `updates` throws, or `SQLITE_MISUSE` if the database is closed.
    public func writeWithoutTransaction<T, E: Error>(
        as label: AccessLabel? = nil,
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try writeWithoutTransaction(at: AccessSite(label, fileID: fileID, line: line), updates)
    }

    /// Runs a closure on the writer connection without a transaction, and without blocking the
    /// thread.
    ///
    /// - Throws: The error that `updates` throws, ``DatabaseError``, and `CancellationError`.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Schedules a closure on the writer connection, without a transaction, and returns
    /// immediately.
    ///
    /// The closure runs after all accesses that were requested earlier. If the database is closed,
    /// `updates` receives a connection on which every statement throws `SQLITE_MISUSE`.
    public func asyncWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Database) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Schedules a write in one transaction, and returns immediately.
    ///
    /// The write runs after all accesses that were requested earlier. The transaction commits when
    /// `updates` returns, and rolls back when `updates` throws. `completion` is called with the
    /// result on the writer, outside the transaction.
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

    /// Runs a closure on the writer connection while no read is running, blocking the thread.
    ///
    /// This method waits for running reads and blocks new ones.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    public func barrierWriteWithoutTransaction<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try barrierWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Runs a closure on the writer connection while no read is running, without blocking the
    /// thread.
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

    /// Schedules a closure on the writer connection while no read is running, and returns
    /// immediately.
    public func asyncBarrierWriteWithoutTransaction(
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncBarrierWriteWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Runs a closure on the writer connection without a transaction, even if the thread already
    /// holds the writer.
    ///
    /// - Throws: The error that `updates` throws, or `SQLITE_MISUSE` if the database is closed.
    public func unsafeReentrantWrite<T, E: Error>(
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try unsafeReentrantWrite(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Reads the state that the writer has just committed.
    ///
    /// If the database has readers, the read runs concurrently. Otherwise, this method returns
    /// after `value` has run.
    ///
    /// Call this method on a thread that holds the writer and has no open transaction: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Calling it at any other
    /// time is a fatal error.
    ///
    /// `value` is called once, with a connection that reads exactly the last committed state, or
    /// with an error if no connection is available. The read does not include later writes.
    public func spawnConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        spawnConcurrentRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Removes all tables and other objects from the database, while no read is running.
    ///
    /// - Throws: A ``DatabaseError``.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Removes all tables and other objects from the database, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func erase(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await barrierWriteWithoutTransaction(at: site) { try $0.erase() }
    }

    /// Rebuilds the database file to minimize its size.
    ///
    /// - Throws: A ``DatabaseError``.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Rebuilds the database file to minimize its size, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func vacuum(fileID: StaticString = #fileID, line: UInt = #line) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writeWithoutTransaction(at: site) { try $0.execute(sql: "VACUUM") }
    }

    /// Writes a minimal-size copy of the database to a file.
    ///
    /// The file must not exist, or must be empty.
    ///
    /// - Throws: A ``DatabaseError``.
    public func vacuum(
        into filePath: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writeWithoutTransaction(at: site) { try $0.vacuum(into: filePath) }
    }

    /// Writes a minimal-size copy of the database to a file, without blocking the thread.
    ///
    /// - Throws: A ``DatabaseError``, and `CancellationError`.
    public func vacuum(
        into filePath: String,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws {
        let site = AccessSite(fileID: fileID, line: line)
        try await writeWithoutTransaction(at: site) { try $0.vacuum(into: filePath) }
    }
}

extension Database {
    fileprivate func vacuum(into filePath: String) throws {
        try execute(sql: "VACUUM INTO ?", arguments: [filePath])
    }
}
