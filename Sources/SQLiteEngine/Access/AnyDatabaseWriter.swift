import Telemetry

/// A type-erased database writer.
///
/// `@unchecked Sendable`: the state is immutable, as in ``ForwardingDatabaseReader``.
public final class AnyDatabaseWriter: ForwardingDatabaseReader, DatabaseWriter,
    @unchecked Sendable
{
    private let writer: any DatabaseWriter

    /// Wraps a writer.
    public init(_ base: any DatabaseWriter) {
        writer = base
        super.init(forwardingTo: base)
    }

    /// Writes in one transaction, blocking the thread.
    public func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        try writer.write(at: site, updates)
    }

    /// Writes in one transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.write(at: site, updates)
    }

    /// Runs a closure on the writer connection without a transaction, blocking the thread.
    public func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writer.writeWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the writer connection without a transaction, and without blocking the
    /// thread.
    public func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.writeWithoutTransaction(at: site, updates)
    }

    /// Schedules a closure on the writer connection, without a transaction, and returns
    /// immediately.
    public func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        writer.asyncWriteWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the writer connection while no read is running, blocking the thread.
    public func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try writer.barrierWriteWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the writer connection while no read is running, without blocking the
    /// thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.barrierWriteWithoutTransaction(at: site, updates)
    }

    /// Schedules a closure on the writer connection while no read is running, and returns
    /// immediately.
    public func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the writer connection without a transaction, even if the thread already
    /// holds the writer.
    public func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writer.unsafeReentrantWrite(at: site, updates)
    }

    /// Reads the state that the writer has just committed.
    ///
    /// The calling thread must hold the writer.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.spawnConcurrentRead(at: site, value)
    }
}
