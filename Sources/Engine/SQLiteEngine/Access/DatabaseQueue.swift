import CSQLite
import Foundation
import Telemetry

/// A single connection to a database, which runs one access at a time.
///
/// The queue keeps the journal mode of the file, or switches the file to WAL
/// (``Configuration/journalMode``). Accesses run on the caller's thread; asynchronous accesses run
/// on a thread that belongs to the connection.
///
/// ```swift
/// let queue = try DatabaseQueue(path: path)
/// try queue.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
/// }
/// ```
public final class DatabaseQueue: DatabaseWriter {
    /// The configuration of the connection.
    public let configuration: Configuration

    /// The path of the database file, or `:memory:`.
    public let path: String

    let label: String
    @usableFromInline let gate: AccessGate
    @usableFromInline var readers: AccessGate { gate }
    @usableFromInline var writer: AccessGate { gate }
    let interrupts = ConnectionInterrupter()
    let suspension = Suspension()
    let observationHub = ObservationHub()
    let log: WALWatch
    let journalMode: String?
    private let suspensionObserver = Lock<SuspensionObserver?>(nil)

    /// Opens a database, and creates the file if it does not exist.
    ///
    /// The folder that contains the file must exist. The path `:memory:` opens an in-memory
    /// database.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path if the folder does not exist, a
    ///   permission is missing, or the file is not a database.
    public convenience init(
        path: String,
        configuration: Configuration = Configuration()
    ) throws {
        var configuration = configuration
        configuration.maximumReaderCount = 1
        try self.init(path: path, opening: configuration, mayChangeJournal: true)
    }

    /// Opens an in-memory database, which exists until its last connection closes.
    ///
    /// All queues with the same name in this process share one database. Without a name, the
    /// database is private.
    ///
    /// - Throws: A ``DatabaseError``.
    public convenience init(
        named name: String? = nil,
        configuration: Configuration = Configuration()
    ) throws {
        let path = name.map { "file:\(Self.escape($0))?mode=memory&cache=shared" } ?? ":memory:"
        try self.init(path: path, opening: configuration, mayChangeJournal: false)
    }

    private init(
        path: String,
        opening configuration: Configuration,
        mayChangeJournal: Bool
    ) throws {
        let label = configuration.label ?? "SQLiteEngine.DatabaseQueue"
        let entersWAL =
            mayChangeJournal && configuration.journalMode == .wal && !configuration.readonly
        let file = OpenedFile(path: path)
        gate = AccessGate(
            .queue,
            labels: [label],
            probes: configuration.probes,
            dispatching: configuration.writeDispatching
        ) { [suspension] slot in
            let database = try Database.open(
                path: path,
                configuration: configuration,
                label: slot.label,
                entersWAL: entersWAL,
                probe: slot.probe,
                suspension: suspension
            )
            database.use(file)
            return database
        }
        if configuration.keepsReadTransactions { gate.keeper.start(for: gate) }
        self.configuration = configuration
        self.path = path
        self.label = label
        log = WALWatch(path: path, label: label, readers: nil, events: gate.events)
        journalMode = try gate.openFirst(
            AccessSite(fileID: #fileID, line: #line),
            configuration: configuration,
            entersWAL: entersWAL,
            path: path,
            log: log
        )
        if configuration.observesSuspensionNotifications {
            let observer = SuspensionObserver(of: self)
            suspensionObserver.withLock { $0 = observer }
        }
    }

    /// Escapes the characters that have a special meaning in the path of a URI
    /// (https://sqlite.org/uri.html, section 3.1).
    private static func escape(_ name: String) -> String {
        name.replacingOccurrences(of: "%", with: "%25")
            .replacingOccurrences(of: "?", with: "%3f")
            .replacingOccurrences(of: "#", with: "%23")
    }

    // MARK: Reading

    /// Reads in one transaction that rejects writes, blocking the thread.
    ///
    /// `status()` shows `site` as the access's call site. An access to the same queue inside
    /// `value` is a fatal error.
    @inlinable
    @inline(__always)
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try gate.read(site, value)
    }

    // MARK: Writing

    /// Writes in one immediate transaction, blocking the thread.
    ///
    /// `status()` shows `site` as the access's call site. An access to the same queue inside
    /// `updates` is a fatal error.
    @inlinable
    @inline(__always)
    public func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        try gate.write(site, updates)
    }

    // MARK: The whole queue

    /// Interrupts the running statement, which then throws `SQLITE_INTERRUPT`.
    ///
    /// This method has no effect on an idle connection. You can call it from any thread at any
    /// time.
    public func interrupt() {
        interrupts.interrupt(gate.slots)
    }

    /// Interrupts the running statement of one connection.
    ///
    /// This method has no effect on an idle connection. You can call it from any thread at any
    /// time.
    ///
    /// - Parameter label: The label of the connection, as `status()` shows it.
    /// - Returns: Whether a connection has this label.
    @discardableResult
    public func interrupt(connection label: String) -> Bool {
        interrupts.interrupt(gate.slots, labeled: label)
    }

    /// Closes the connection after the running accesses end.
    ///
    /// Later accesses throw `SQLITE_MISUSE`. Closing a closed queue has no effect.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements has not been finalized. In this
    ///   case, nothing is closed and the queue remains usable.
    public func close() throws {
        try gate.close(AccessSite(fileID: #fileID, line: #line))
    }

    /// Reports the current status of the queue without blocking any access.
    public func status() -> DatabaseStatus {
        status(kind: .queue, path: path == ":memory:" ? nil : path, snapshots: nil)
    }

    /// Returns a stream of new events from the queue's connection.
    ///
    /// The stream reports slow accesses, interrupts, encountered locks, checkpoints, and the
    /// opening and closing of the connection. It does not report slow accesses if
    /// ``Configuration/probes`` is off. Each call returns a separate stream, which ends when the
    /// queue is deallocated.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        gate.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }

    /// Resets the waits, holds, and peaks of ``status()``.
    package func restartTimes() {
        gate.restartTimes()
    }
}

extension DatabaseQueue {
    // If these methods were in ``GatedDatabase``, this class's synchronous methods would satisfy
    // the asynchronous requirements.

    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.readInTask(at: site, value)
    }

    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.writeInTask(at: site, updates)
    }

    /// Reads the state that was just committed.
    ///
    /// A queue has only one connection, so this method returns after the read.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        guard let holder = ThreadState.current.pointee.access(through: gate) else {
            fatalError("A concurrent read was started by a thread that does not hold the writer.")
        }
        let database = holder.openDatabase
        requirement(
            !database.isInsideTransaction,
            "A concurrent read must not be started inside a transaction."
        )
        gate.read(on: database, value)
    }

    /// Runs a closure on the connection without a transaction.
    ///
    /// - Throws: The error that `updates` throws, or `SQLITE_MISUSE` if the database is closed.
    public func inDatabase<T, E: Error>(
        _ updates: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in a transaction that commits or rolls back, depending on the result of `updates`.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try writeInTransaction(kind, updates, fileID: fileID, line: line)
    }

    // MARK: Barriers, which are ordinary accesses because a queue has no readers

    /// Runs a closure on the connection without a transaction.
    public func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try writeWithoutTransaction(at: site, updates)
    }

    /// Runs a closure on the connection without a transaction, and without blocking the thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(at: site, updates)
    }

    /// Schedules a closure on the connection, without a transaction, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performWithoutTransactionLater(at: site, intent: .write, keeping: self, updates)
    }

    // MARK: Memory

    /// Releases as much of the connection's memory as possible, blocking the thread.
    public func releaseMemory(fileID: StaticString = #fileID, line: UInt = #line) {
        writeWithoutTransaction(at: AccessSite(fileID: fileID, line: line)) {
            $0.releaseMemory()
        }
    }

    /// Copies a database file into memory.
    ///
    /// The copy exists as long as the queue. If the configuration is read-only, the copy rejects
    /// writes.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path.
    public static func inMemoryCopy(
        fromPath path: String,
        configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        try copy(fromPath: path, configuration) { try DatabaseQueue(configuration: $0) }
    }

    /// Copies a database file into a temporary file.
    ///
    /// SQLite deletes the temporary file when the queue is released. If the configuration is
    /// read-only, the copy rejects writes.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path.
    public static func temporaryCopy(
        fromPath path: String,
        configuration: Configuration = Configuration()
    ) throws -> DatabaseQueue {
        // With an empty name, SQLite opens a temporary file (https://sqlite.org/c3ref/open.html).
        try copy(fromPath: path, configuration) { try DatabaseQueue(path: "", configuration: $0) }
    }

    private static func copy(
        fromPath path: String,
        _ configuration: Configuration,
        to makeQueue: (Configuration) throws -> DatabaseQueue
    ) throws -> DatabaseQueue {
        var sourceConfiguration = configuration
        sourceConfiguration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
        var copyConfiguration = configuration
        copyConfiguration.readonly = false
        let copy = try makeQueue(copyConfiguration)
        try source.backup(to: copy)
        if configuration.readonly {
            // Rejects writes permanently. SQLite cannot open an in-memory database or a new file as
            // read-only.
            copy.inDatabase { $0.readOnlyDepth += 1 }
        }
        return copy
    }
}
