/// A reader that always reads the same state of the database.
///
/// A read without a transaction or inside another read is therefore safe.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads the state of the snapshot, even if the thread is already reading the snapshot.
    ///
    /// - Throws: The error that `value` throws, or a ``DatabaseError``.
    public func reentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeReentrantRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads the state of the snapshot in the same way as `read`.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try read(at: site, value)
    }

    /// Reads the state of the snapshot in the same way as `read`.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(at: site, value)
    }

    /// Schedules a read of the snapshot's state in the same way as `asyncRead`.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(at: site, value)
    }
}
