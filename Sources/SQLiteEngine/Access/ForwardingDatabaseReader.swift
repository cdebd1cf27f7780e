import Telemetry

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
