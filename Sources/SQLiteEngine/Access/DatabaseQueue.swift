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
    let interrupts = InterruptCounter()
    let suspension = Suspension()
    let observationHub = ObservationHub()
    @usableFromInline let hasQueue: Bool
    private let log: WALWatch
    private let journalMode: Lock<String?>
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
        gate = AccessGate(
            labels: [label],
            probes: configuration.probes,
            dispatching: configuration.writeDispatching
        ) { [suspension] slot in
            try Database.open(
                path: path,
                configuration: configuration,
                label: slot.label,
                entersWAL: entersWAL,
                probe: slot.probe,
                suspension: suspension
            )
        }
        if configuration.keepsReadTransactions { gate.keeper.start(for: gate) }
        hasQueue = configuration.writeDispatching.target != nil
        self.configuration = configuration
        self.path = path
        self.label = label
        journalMode = Lock(nil)
        log = WALWatch(path: path, label: label, readers: nil, events: gate.events)
        guard let slot = gate.claimFirstSlot() else { return }
        _ = try gate.open(slot, AccessSite(fileID: #fileID, line: #line))
        slot.thread = ThreadState.current
        defer {
            slot.thread = nil
            gate.release(slot)
        }
        let database = slot.openDatabase
        if entersWAL { try database.switchToWAL(path: path) }
        let mode = try database.journalMode()
        journalMode.withLock { $0 = mode }
        if mode == "wal" {
            database.locateWALIndex()
            if !configuration.readonly { try log.begin(on: database) }
        }
        if configuration.observesSuspensionNotifications {
            let observer = SuspensionObserver(
                suspend: { [weak self] in self?.suspend() },
                resume: { [weak self] in self?.resume() }
            )
            suspensionObserver.withLock { $0 = observer }
        }
    }

    /// Escapes the characters that would end the path of a URI (https://sqlite.org/uri.html,
    /// section 3.1).
    private static func escape(_ name: String) -> String {
        name.replacingOccurrences(of: "%", with: "%25")
            .replacingOccurrences(of: "?", with: "%3f")
            .replacingOccurrences(of: "#", with: "%23")
    }

    // MARK: Reading

    /// Reads in one transaction that refuses writes, blocking the thread.
    ///
    /// An access to the same queue inside `value` is a fatal error.
    ///
    /// - Throws: The error that `value` throws, and ``DatabaseError``.
    @inlinable
    public func read<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try read(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads in one transaction, with a label that `status()` shows.
    @inlinable
    public func read<T>(
        as label: AccessLabel,
        _ value: (Database) throws -> T
    ) throws -> T {
        try read(at: AccessSite(label), value)
    }

    /// Reads in one transaction, with a call site that `status()` shows.
    @inlinable
    @inline(__always)
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        let db = try beginRead(site)
        let result: T
        do {
            result = try hasQueue ? gate.runOnQueue(db, value) : value(db)
        } catch {
            abandonRead(db)
            throw error
        }
        try endRead(db)
        return result
    }

    // MARK: Writing

    /// Writes in one immediate transaction, blocking the thread.
    ///
    /// The transaction commits when `updates` returns, and rolls back when `updates` throws. An
    /// access to the same queue inside `updates` is a fatal error.
    ///
    /// - Throws: The error that `updates` throws, and ``DatabaseError``.
    @inlinable
    public func write<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try write(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction, with a label that `status()` shows.
    @inlinable
    public func write<T>(
        as label: AccessLabel,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try write(at: AccessSite(label), updates)
    }

    /// Writes in one transaction, with a call site that `status()` shows.
    @inlinable
    @inline(__always)
    public func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        let db = try beginWrite(site)
        let result: T
        do {
            result = try hasQueue ? gate.runOnQueue(db, updates) : updates(db)
        } catch {
            abandonWrite(db)
            throw error
        }
        try endWrite(db)
        return result
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
        if gate.isClosed { return }
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        let site = AccessSite(fileID: #fileID, line: #line)
        try gate.withAllSlotsUnlessClosed(thread, site) { slots in
            for slot in slots { try slot.database?.prepareToClose() }
            for slot in slots { slot.uninstall()?.closeIgnoringErrors() }
            gate.retire()
        }
    }

    /// Reports the current status of the queue without blocking any access.
    public func status() -> DatabaseStatus {
        var status = DatabaseStatus.of(
            label: label,
            kind: .queue,
            path: path == ":memory:" ? nil : path,
            writing: (gate, .queue),
            reading: nil,
            snapshots: nil,
            interrupts: interrupts
        )
        status.journalMode = journalMode.withLock { $0 }
        status.observations = observationHub.status
        if status.journalMode == "wal" {
            status.addWAL(log, writing: gate, reading: nil, snapshots: nil)
        }
        return status
    }
}

// MARK: - Nongeneric parts of reads and writes, which need no specialization

extension DatabaseQueue {
    @usableFromInline
    func beginRead(_ site: AccessSite) throws -> Database {
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        let slot = try gate.enter(thread, site, .read)
        let database = slot.openDatabase
        do {
            try database.beginReadAccess()
        } catch {
            gate.leave(slot)
            throw error
        }
        database.readOnlyDepth += 1
        return database
    }

    @usableFromInline
    func endRead(_ database: Database) throws {
        database.readOnlyDepth -= 1
        var end: UInt64 = 0
        do {
            if try database.endReadAccess(mayKeep: { gate.allowsKeeping }) {
                // The decision to keep the transaction has just read the clock.
                end = database.kept.pointee.lastEnd
            }
        } catch {
            gate.leave(database)
            throw error
        }
        gate.leave(database, at: end)
    }

    @usableFromInline
    func abandonRead(_ database: Database) {
        database.abandonTransaction()
        database.readOnlyDepth -= 1
        gate.leave(database)
    }

    @usableFromInline
    func beginWrite(_ site: AccessSite) throws -> Database {
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        let slot = try gate.enter(thread, site, .write)
        let database = slot.openDatabase
        do {
            try database.beginWriteAccess()
        } catch {
            gate.leave(slot)
            throw error
        }
        return database
    }

    @usableFromInline
    func endWrite(_ database: Database) throws {
        defer { gate.leave(database) }
        try database.endWriteAccess()
    }

    @usableFromInline
    func abandonWrite(_ database: Database) {
        database.abandonTransaction()
        gate.leave(database)
    }
}
