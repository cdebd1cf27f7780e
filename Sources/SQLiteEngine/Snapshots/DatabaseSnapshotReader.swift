/// A reader that always sees the same state of the database.
///
/// So there is nothing unsafe about a read without a transaction, or inside another one.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads, also when the thread is inside a `read` of this snapshot.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    public func reentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeReentrantRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// The same as `read`: a snapshot has one state.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try read(at: site, value)
    }

    /// The same as `read`: a snapshot has one state.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(at: site, value)
    }

    /// The same as `asyncRead`: a snapshot has one state.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(at: site, value)
    }
}
