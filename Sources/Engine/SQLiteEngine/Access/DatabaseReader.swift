import Telemetry

/// A database that supports reads: a queue, a pool, or a snapshot.
///
/// Each method with an ``AccessSite`` parameter has an overload that passes the file and line of
/// the call. `status()` shows this call site.
public protocol DatabaseReader: AnyObject, Sendable {
    /// The configuration of the connections.
    var configuration: Configuration { get }

    /// The path of the database file.
    var path: String { get }

    /// Closes the connections after the running accesses end.
    ///
    /// Closing a closed database has no effect.
    ///
    /// - Throws: `SQLITE_BUSY` if a statement has not been finalized. In this case, nothing is
    ///   closed.
    func close() throws

    /// Interrupts the running statements, which then throw `SQLITE_INTERRUPT`.
    func interrupt()

    /// Reports the current status of the database without blocking any access.
    func status() -> DatabaseStatus

    /// Reads a consistent state of the database, blocking the thread.
    func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T

    /// Reads a consistent state of the database, without blocking the thread.
    func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a read of a consistent state of the database, and returns immediately.
    func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    )

    /// Reads without a transaction, blocking the thread.
    ///
    /// A queue also accepts writes.
    func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T

    /// Reads without a transaction, and without blocking the thread.
    ///
    /// A queue also accepts writes.
    func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T

    /// Schedules a read without a transaction, and returns immediately.
    ///
    /// A queue also accepts writes.
    func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    )

    /// Reads without a transaction on the connection that the thread already holds, or on a free
    /// connection.
    ///
    /// A queue also accepts writes, unless the enclosing access rejects them.
    func unsafeReentrantRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T
}

// MARK: - Methods that pass the call site

extension DatabaseReader {
    /// Reads a consistent state of the database, blocking the thread.
    ///
    /// Calling `read` on the same database inside `value` is a fatal error. `status()` shows
    /// `label` for the access, or the file and line of the call.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    @inlinable
    public func read<T>(
        as label: AccessLabel? = nil,
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try read(at: AccessSite(label, fileID: fileID, line: line), value)
    }

    /// Reads a consistent state of the database, without blocking the thread.
    ///
    /// `status()` shows `label` for the access, or the file and line of the call.
    ///
    /// - Throws: The error that `value` throws, ``DatabaseError``, and `CancellationError` as soon
    ///   as the task is canceled, even while the access waits for a connection.
    public func read<T: Sendable>(
        as label: AccessLabel? = nil,
        _ value: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await read(at: AccessSite(label, fileID: fileID, line: line), value)
    }

    /// Schedules a read of a consistent state of the database, and returns immediately.
    ///
    /// `value` is called once, with a connection, or with an error if no connection is available.
    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads without a transaction, so that two statements may read different states of the
    /// database.
    ///
    /// A ``DatabaseQueue`` accepts statements that write. The readers of a ``DatabasePool`` and
    /// snapshots reject them.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    public func unsafeRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads without a transaction and without blocking the thread.
    ///
    /// A ``DatabaseQueue`` accepts statements that write. The readers of a ``DatabasePool`` and
    /// snapshots reject them.
    ///
    /// - Throws: The error that `value` throws, ``DatabaseError``, and `CancellationError`.
    public func unsafeRead<T: Sendable>(
        _ value: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await unsafeRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    ///
    /// A ``DatabaseQueue`` accepts statements that write. The readers of a ``DatabasePool`` and
    /// snapshots reject them.
    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        asyncUnsafeRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads without a transaction on the connection that the thread already holds, or on a free
    /// connection.
    ///
    /// A ``DatabaseQueue`` accepts statements that write, and so does any database inside a
    /// `write`, unless the enclosing access rejects them.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    public func unsafeReentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeReentrantRead(at: AccessSite(fileID: fileID, line: line), value)
    }
}

// MARK: - Backup

extension DatabaseReader {
    /// Copies the entire database, replacing the contents of another database.
    ///
    /// - Parameters:
    ///   - writer: The database to overwrite.
    ///   - pagesPerStep: The number of pages to copy between two calls to `progress`. If the number
    ///     is negative, one step copies all pages.
    ///   - progress: A closure that is called after each step, at least once. If the closure throws
    ///     before the backup is complete, the backup ends with that error.
    ///   - fileID: The file that `status()` shows for the access.
    ///   - line: The line that `status()` shows for the access.
    /// - Throws: A ``DatabaseError``, and the error that `progress` throws.
    public func backup(
        to writer: any DatabaseWriter,
        pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        let site = AccessSite(fileID: fileID, line: line)
        try writer.writeWithoutTransaction(at: site) { destination in
            try read(at: site) { source in
                try source.backup(to: destination, pagesPerStep: pagesPerStep, progress: progress)
            }
        }
    }
}
