import CSQLite
import Foundation
import Synchronization
import Telemetry

/// A pool of one writer and several readers for a database in WAL mode.
///
/// Readers do not wait for the writer, and the writer does not wait for readers. The pool opens at
/// most ``Configuration/maximumReaderCount`` readers, each when it is first needed. Accesses run on
/// the caller's thread; asynchronous accesses run on a thread that belongs to the connection.
///
/// ```swift
/// let pool = try DatabasePool(path: path)
/// try pool.write { db in
///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
/// }
/// let count = try pool.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// The journal mode is WAL, and `synchronous` is NORMAL unless a closure passed to
/// ``Configuration/prepareDatabase(_:)`` sets a different value. With NORMAL, commits survive the
/// termination of the process, but the most recent commits may be lost after a power failure
/// (https://sqlite.org/pragma.html).
public final class DatabasePool: DatabaseWriter {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    let label: String
    @usableFromInline let writer: AccessGate
    @usableFromInline let readers: AccessGate
    let snapshots = SnapshotRegistry()
    let interrupts = ConnectionInterrupter()
    let suspension = Suspension()
    let observationHub: ObservationHub
    let log: WALWatch
    let journalMode: String?
    let file: OpenedFile
    private let suspensionObserver = Lock<SuspensionObserver?>(nil)

    /// Opens a database, and creates the file if it does not exist.
    ///
    /// The folder that contains the file must exist.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path if the folder does not exist, a
    ///   permission is missing, the file is not a database, or the file system does not support
    ///   WAL.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        let label = configuration.label ?? "SQLiteEngine.DatabasePool"
        guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file::memory:") else {
            throw DatabaseError.misuse(
                "a pool requires a file; use a DatabaseQueue for an in-memory database"
            )
        }
        let events = EventHub()
        var readerConfiguration = configuration
        readerConfiguration.readonly = true
        readerConfiguration.isForReaderOfWritablePool = !configuration.readonly
        // The pool cannot determine which access should end a transaction that a read leaves open.
        readerConfiguration.allowsUnsafeTransactions = false
        let finalReaderConfiguration = readerConfiguration
        let file = OpenedFile(path: path)
        self.file = file
        readers = AccessGate(
            .reader,
            labels: (1...configuration.maximumReaderCount).map { "\(label).reader.\($0)" },
            probes: configuration.probes,
            events: events,
            dispatching: configuration.readDispatching
        ) { slot in
            try file.check()
            let database = try Database.open(
                path: path,
                configuration: finalReaderConfiguration,
                label: slot.label,
                isReadOnly: true,
                busyMode: configuration.readonlyBusyMode ?? .timeout(10),
                probe: slot.probe
            )
            database.locateWALIndex()
            return database
        }
        if configuration.keepsReadTransactions { readers.keeper.start(for: readers) }
        // The writer of a read-only pool acquires no lock that a suspension would have to release.
        let writerSuspension = configuration.readonly ? Suspension() : suspension
        writer = AccessGate(
            .writer,
            labels: ["\(label).writer"],
            probes: configuration.probes,
            readers: readers,
            events: events,
            dispatching: configuration.writeDispatching
        ) { slot in
            let database = try Database.open(
                path: path,
                configuration: configuration,
                label: slot.label,
                entersWAL: !configuration.readonly,
                probe: slot.probe,
                suspension: writerSuspension
            )
            database.use(file)
            return database
        }
        observationHub = ObservationHub { [readers] in readers.slots.count { !$0.isTaken } }
        let readerLockRetry = ReaderLockRetryPolicy { [readers, snapshots] in
            readers.slots.contains(where: \.isTaken) || snapshots.isCreatingSnapshot
        }
        for slot in writer.slots { slot.probe.readerLockRetry.withLock { $0 = readerLockRetry } }
        self.configuration = configuration
        self.path = path
        self.label = label
        log = WALWatch(path: path, label: label, readers: readers, events: events)
        journalMode = try writer.openFirst(
            AccessSite(fileID: #fileID, line: #line),
            configuration: configuration,
            entersWAL: !configuration.readonly,
            path: path,
            log: log
        )
        if configuration.observesSuspensionNotifications {
            let observer = SuspensionObserver(of: self)
            suspensionObserver.withLock { $0 = observer }
        }
    }

    // The writer closes last, because SQLite checkpoints and removes the log when the last
    // connection with write access closes.
    deinit {
        readers.shutDown()
        writer.shutDown()
    }

    // MARK: Reading

    /// Reads a consistent state of the database in one transaction, blocking the thread.
    ///
    /// `status()` shows `site` as the access's call site.
    ///
    /// A read inside a `write` on the same pool reads the last committed state. Calling `read` on
    /// the same pool inside `value` is a fatal error.
    @inlinable
    @inline(__always)
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try readers.read(site, value)
    }

    // MARK: Writing

    /// Writes in one immediate transaction, blocking the thread.
    ///
    /// `status()` shows `site` as the access's call site.
    @inlinable
    @inline(__always)
    public func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        try writer.write(site, updates)
    }

    // MARK: The whole pool

    /// Interrupts the running statements of all connections, which then throw `SQLITE_INTERRUPT`.
    ///
    /// This method has no effect on idle connections. You can call it from any thread at any time.
    public func interrupt() {
        interrupts.interrupt(writer.slots + readers.slots)
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
        interrupts.interrupt(writer.slots + readers.slots, labeled: label)
    }

    /// Closes all connections after the running accesses end.
    ///
    /// Later accesses throw `SQLITE_MISUSE`. Snapshots stay open. Closing a closed pool has no
    /// effect.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements has not been finalized, and
    ///   `SQLITE_LOCKED` if waiting for the running accesses would be a deadlock. In both cases,
    ///   nothing is closed and the pool remains usable.
    public func close() throws {
        if writer.isClosed { return }
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        writer.preconditionNotReentrant(thread)
        let site = AccessSite(fileID: #fileID, line: #line)
        do {
            try writer.withAllConnections(thread, at: site, readers: readers) { slot, readerSlots in
                defer { writer.returnSlot(slot) }
                try AccessGate.closeConnections(of: readerSlots + [slot])
                readers.retire()
                writer.retire()
            }
        } catch {
            // Another thread has already closed the pool.
            if !writer.isClosed { throw error }
        }
    }

    /// Reports the current status of the pool without blocking any access.
    public func status() -> DatabaseStatus {
        status(kind: .pool, path: path, snapshots: snapshots)
    }

    /// Returns a stream of new events from the pool's connections and snapshots.
    ///
    /// The stream reports slow accesses, interrupts, encountered locks, checkpoints, the creation
    /// and closing of snapshots, and the opening and closing of connections. It does not report
    /// slow accesses if ``Configuration/probes`` is off. Each call returns a separate stream, which
    /// ends when the pool and its snapshots are deallocated.
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
        writer.events.events(slowness: limit.wholeNanoseconds, capacity: capacity)
    }

    /// Resets the waits, holds, and peaks of ``status()``.
    package func restartTimes() {
        writer.restartTimes()
        readers.restartTimes()
    }
}

extension DatabasePool {
    // If these methods were in ``GatedDatabase``, this class's synchronous methods would satisfy the
    // asynchronous requirements.

    /// Reads in one transaction, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.readInTask(at: site, value)
    }

    /// Writes in one immediate transaction, without blocking the thread.
    public func write<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.writeInTask(at: site, updates)
    }

    /// Reads in one transaction on this thread if an open reader is free and no access is
    /// waiting.
    ///
    /// - Returns: Whether the read took place. The result is `false` inside another read, and if
    ///   the configuration specifies a dispatch queue for reads.
    func readIfFree(at site: AccessSite, _ body: (Database) -> Void) -> Bool {
        let thread = ThreadState.current
        guard !readers.hasTargetQueue, thread.pointee.access(through: readers) == nil,
            let slot = readers.claimFree()
        else { return false }
        readers.enter(slot, on: thread, at: site)
        defer { readers.leave(slot) }
        let database = slot.openDatabase
        guard (try? database.beginReadAccess()) != nil else { return false }
        body(database)
        _ = try? database.endReadAccess(mayHaveWritten: false, mayKeep: { readers.allowsKeeping })
        return true
    }

    // MARK: The state that was just committed

    /// Schedules a read of the state that the writer has just committed.
    ///
    /// Call this method on a thread that holds the writer and has no open transaction: in
    /// `writeWithoutTransaction`, or in an observer's `databaseDidCommit`. Calling it at any other
    /// time is a fatal error. The method returns after a free reader has captured the state, so the
    /// read does not include later writes. If no connection is available, `value` receives an
    /// error.
    public func asyncConcurrentRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        spawnConcurrentRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Schedules a read of the state that the writer has just committed.
    public func spawnConcurrentRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let thread = ThreadState.current
        guard let holder = thread.pointee.access(through: writer) else {
            fatalError("A concurrent read was started by a thread that does not hold the writer.")
        }
        requirement(
            !holder.openDatabase.isInsideTransaction,
            """
            A concurrent read must not be started inside a transaction: it would not see the \
            changes. Start the read in writeWithoutTransaction, after the transaction is committed.
            """
        )
        readers.preconditionNotReentrant(thread)
        let slot: AccessSlot
        do {
            slot = try enterCommittedState(thread, at: site)
        } catch {
            value(.failure(error))
            return
        }
        slot.executor.async { [self] in
            readers.attach(slot, to: ThreadState.current)
            let database = slot.openDatabase
            value(.success(database))
            _ = try? database.endReadAccess(mayHaveWritten: false)
            readers.leave(slot)
        }
    }

    /// Starts a read that another thread can continue.
    ///
    /// The read uses the last committed state.
    private func enterCommittedState(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite
    ) throws -> AccessSlot {
        let slot = try readers.enter(thread, at: site, intent: .read).takeUnretainedValue()
        let database = slot.openDatabase
        do {
            try database.beginReadAccess()
            try database.captureState()
        } catch {
            database.abandonTransaction()
            readers.leave(slot)
            throw error
        }
        readers.detach(slot, from: thread)
        return slot
    }

    // MARK: Barriers

    /// Runs a closure on the writer connection while no reader is in use.
    ///
    /// The method waits for running reads and blocks new ones.
    public func barrierWriteWithoutTransaction<T>(
        at site: AccessSite,
        _ updates: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        writer.preconditionNotReentrant(thread)
        return try writer.withAllConnections(thread, at: site, readers: readers) { slot, _ in
            writer.enter(slot, on: thread, at: site)
            defer { writer.leave(slot) }
            let database = slot.openDatabase
            defer { database.preconditionNoTransactionIsLeftOpen() }
            return try writer.hasTargetQueue
                ? writer.runOnQueue(database, updates) : updates(database)
        }
    }

    /// Runs a closure on the writer connection while no reader is in use, without blocking the
    /// thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        at site: AccessSite,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.performWithAllConnections(at: site, readers: readers) { db in
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try db.withoutTransaction(updates)
        }
    }

    /// Schedules a closure on the writer connection while no reader is in use, and returns
    /// immediately.
    public func asyncBarrierWriteWithoutTransaction(
        at site: AccessSite,
        _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.performWithAllConnectionsLater(at: site, readers: readers) {
            updates(.failure($0))
        } _: { [self] db in
            withExtendedLifetime(self) {
                updates(.success(db))
                db.preconditionNoTransactionIsLeftOpen()
            }
        }
    }

    /// Releases memory and closes the readers, blocking the thread until the running accesses end.
    ///
    /// With ``Configuration/persistentReadOnlyConnections``, the readers stay open. If waiting for
    /// the running accesses would cause a deadlock, this method releases nothing.
    public func releaseMemory(fileID: StaticString = #fileID, line: UInt = #line) {
        let site = AccessSite(fileID: fileID, line: line)
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        writer.preconditionNotReentrant(thread)
        do {
            try writer.withAllConnections(thread, at: site, readers: readers) { slot, readerSlots in
                defer { writer.returnSlot(slot) }
                slot.database?.releaseMemory()
                for slot in readerSlots {
                    if configuration.persistentReadOnlyConnections {
                        slot.database?.releaseMemory()
                    } else {
                        slot.uninstall()?.closeIgnoringErrors()
                    }
                }
            }
        } catch {
            // The pool is closed and holds no memory, or waiting would cause a deadlock.
        }
    }

    /// Schedules the release of memory and the closing of the readers, and returns immediately.
    ///
    /// Each connection releases its memory or closes when no access uses the connection. With
    /// ``Configuration/persistentReadOnlyConnections``, the readers stay open.
    public func releaseMemoryEventually(fileID: StaticString = #fileID, line: UInt = #line) {
        let site = AccessSite(fileID: fileID, line: line)
        if configuration.persistentReadOnlyConnections {
            readers.withEachConnectionEventually(at: site) { $0.releaseMemory() }
        } else {
            readers.closeConnectionsEventually(site)
        }
        asyncWriteWithoutTransaction(at: site) { $0.releaseMemory() }
    }

    /// Closes each reader as soon as no access uses the reader, without blocking the thread.
    ///
    /// Later accesses open new readers. Call this method after a change that affects only new
    /// connections, such as a change to a function in the configuration.
    public func invalidateReadOnlyConnections(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        readers.closeConnectionsEventually(AccessSite(fileID: fileID, line: line))
    }
}
