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

/// The base class of type-erased databases, which forwards the methods of ``DatabaseReader``.
///
/// Use a subclass: ``AnyDatabaseReader`` or ``AnyDatabaseWriter``.
///
/// `@unchecked Sendable`: the compiler cannot check a class that has subclasses. The only property,
/// and the properties of both subclasses, are constants of `Sendable` types.
public class ForwardingDatabaseReader: DatabaseReader, @unchecked Sendable {
    let base: any DatabaseReader

    init(forwardingTo base: any DatabaseReader) { self.base = base }

    /// The configuration of the connections.
    public var configuration: Configuration { base.configuration }

    /// The path of the database file.
    public var path: String { base.path }

    /// Closes the connections.
    public func close() throws { try base.close() }

    /// Interrupts the running statements.
    public func interrupt() { base.interrupt() }

    /// Reports the current status of the database.
    public func status() -> DatabaseStatus { base.status() }

    /// Reads a consistent state of the database, blocking the thread.
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try base.read(at: site, value)
    }

    /// Reads a consistent state of the database, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.read(at: site, value)
    }

    /// Schedules a read of a consistent state of the database, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        base.asyncRead(at: site, value)
    }

    /// Reads without a transaction, blocking the thread.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try base.unsafeRead(at: site, value)
    }

    /// Reads without a transaction, and without blocking the thread.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await base.unsafeRead(at: site, value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        base.asyncUnsafeRead(at: site, value)
    }

    /// Reads without a transaction on the connection that the thread already holds, or on a free
    /// connection.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        try base.unsafeReentrantRead(at: site, value)
    }
}

/// A type-erased database reader.
///
/// `@unchecked Sendable`: the state is immutable, as in ``ForwardingDatabaseReader``.
public final class AnyDatabaseReader: ForwardingDatabaseReader, @unchecked Sendable {
    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { super.init(forwardingTo: base) }
}
