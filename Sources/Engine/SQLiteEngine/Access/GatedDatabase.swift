/// A database whose accesses acquire their connection from a gate.
///
/// A pool has separate gates for reads and writes. A queue has one connection, and therefore one
/// gate. A `read` on a queue rejects statements that write.
@usableFromInline
protocol GatedDatabase: DatabaseWriter {
    /// The gate of the connections that read.
    var readers: AccessGate { get }

    /// The gate of the connection that writes.
    var writer: AccessGate { get }
}

extension GatedDatabase {
    var hasReaders: Bool { readers !== writer }

    // MARK: Reading

    /// Schedules a read in one transaction, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.readLater(at: site, keeping: self, value)
    }

    /// Reads without a transaction, so that two statements may read different states of the
    /// database.
    ///
    /// The connection of a queue accepts statements that write.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try readers.withConnection(at: site, intent: .read, value)
    }

    /// Reads without a transaction and without blocking the thread.
    ///
    /// The connection of a queue accepts statements that write.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.performWithoutTransaction(at: site, intent: .read, value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    ///
    /// The connection of a queue accepts statements that write.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.performWithoutTransactionLater(at: site, intent: .read, keeping: self, value)
    }

    /// Reads without a transaction, on the connection that the thread already holds or on a free
    /// reader.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current.pointee
        // A thread that holds all readers does not necessarily hold an open reader.
        if let database = thread.access(through: readers)?.database {
            return try value(database)
        }
        if let slot = thread.access(through: writer) { return try value(slot.openDatabase) }
        return try unsafeRead(at: site, value)
    }

    // MARK: Writing

    /// Runs a closure on the writer connection without a transaction, so that each statement
    /// commits separately.
    public func writeWithoutTransaction<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writer.withConnection(at: site, intent: .write, updates)
    }

    /// Runs a closure on the writer connection without a transaction, and without blocking the
    /// thread.
    public func writeWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.performWithoutTransaction(at: site, intent: .write, updates)
    }

    /// Schedules a closure on the writer connection, without a transaction, and returns
    /// immediately.
    public func asyncWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Database) -> Void
    ) {
        writer.writeWithoutTransactionLater(at: site, keeping: self, updates)
    }

    /// Runs a closure on the writer connection without a transaction, even if the thread already
    /// holds the writer.
    public func unsafeReentrantWrite<T, E: Error>(
        at site: AccessSite,
        _ updates: (Database) throws(E) -> T
    ) throws(E) -> T {
        try writer.withCurrentConnection(at: site, intent: .write, updates)
    }
}
