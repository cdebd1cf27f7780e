/// A reader that always reads the same state of the database.
///
/// A read without a transaction, or inside another read, is therefore safe.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads the state of the snapshot, even if the thread is already reading the snapshot.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    public func reentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeReentrantRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Behaves like `read`, because a snapshot always reads the same state.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try read(at: site, value)
    }

    /// Behaves like `read`, because a snapshot always reads the same state.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(at: site, value)
    }

    /// Behaves like `asyncRead`, because a snapshot always reads the same state.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(at: site, value)
    }
}
