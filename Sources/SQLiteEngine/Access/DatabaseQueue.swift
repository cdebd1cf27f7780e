import CSQLite
import Foundation
import Telemetry

/// One connection for everybody: accesses wait for each other.
///
/// The journal mode of the file is left alone, or switched to WAL
/// (``Configuration/journalMode``). Accesses run on the caller's thread; those that are `await`ed
/// run on a thread of the connection's own.
///
/// ```swift
/// let queue = try DatabaseQueue(path: "app.sqlite")
/// try queue.write { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
/// ```
public final class DatabaseQueue: Sendable {
    /// What the connection was opened with.
    public let configuration: Configuration

    /// The path of the database file, or `:memory:`.
    public let path: String

    let label: String
    let gate: AccessGate
    let interrupts = InterruptCounter()
    private let log: WALWatch
    private let journalMode: Lock<String?>

    /// Opens a database, and creates its file when there is none.
    ///
    /// - Parameters:
    ///   - path: The path of the file; its folder must exist. `:memory:` for one in memory.
    ///   - configuration: How to open it.
    /// - Throws: A ``DatabaseError`` that names the path: no such folder, no permission, no
    ///   database.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        let label = configuration.label ?? "SQLiteEngine.DatabaseQueue"
        var configuration = configuration
        configuration.maximumReaderCount = 1
        let opened = configuration
        gate = AccessGate(labels: [label], probes: configuration.probes) { slot in
            try Database.open(
                path: path,
                configuration: opened,
                label: slot.label,
                probe: slot.probe
            )
        }
        self.configuration = configuration
        self.path = path
        self.label = label
        journalMode = Lock(nil)
        log = WALWatch(path: path, label: label, readers: nil, events: gate.events)
        guard let slot = gate.claimFirstSlot() else { return }
        _ = try gate.open(slot, AccessSite(fileID: #fileID, line: #line))
        defer { gate.release(slot) }
        let database = slot.openDatabase
        if configuration.journalMode == .wal, !configuration.readonly {
            try database.switchToWAL(path: path)
        }
        let mode = try database.journalMode()
        journalMode.withLock { $0 = mode }
        if mode == "wal" {
            slot.locateWALIndex()
            database.watchLog()
            if !configuration.readonly { try log.begin(on: database) }
        }
    }

    /// Opens a private database in memory.
    ///
    /// - Throws: A ``DatabaseError``.
    public convenience init(configuration: Configuration = Configuration()) throws {
        try self.init(path: ":memory:", configuration: configuration)
    }

    // MARK: Reading

    /// Reads in one transaction, in which statements that write are refused; blocks the thread.
    ///
    /// - Parameters:
    ///   - value: Reads. An access of the same queue inside of it is a fatal error.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: What the closure returns.
    /// - Throws: What `value` throws, and ``DatabaseError``.
    @inlinable
    public func read<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try read(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads in one transaction, as an access that `status()` shows under a name.
    @inlinable
    public func read<T>(
        as label: AccessLabel,
        _ value: (Database) throws -> T
    ) throws -> T {
        try read(at: AccessSite(label), value)
    }

    @inlinable
    @inline(__always)
    func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        let db = try beginRead(site)
        let result: T
        do {
            result = try value(db)
        } catch {
            abandonRead(db)
            throw error
        }
        try endRead(db)
        return result
    }

    /// Reads in one transaction, without blocking the thread.
    ///
    /// - Throws: What `value` throws, ``DatabaseError``, and `CancellationError`.
    public func read<T: Sendable>(
        _ value: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await gate.perform(AccessSite(fileID: fileID, line: line), .read) { db in
            try db.readOnly { try db.withReadTransaction(value) }
        }
    }

    /// Reads without a transaction; statements that write are refused.
    public func unsafeRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try withConnection(AccessSite(fileID: fileID, line: line), .read) { db in
            try db.readOnly { try value(db) }
        }
    }

    /// Reads without a transaction and without blocking the thread.
    public func unsafeRead<T: Sendable>(
        _ value: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await gate.perform(AccessSite(fileID: fileID, line: line), .read) { db in
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try db.readOnly { try value(db) }
        }
    }

    /// Reads on the connection, also when the thread already holds it; no transaction.
    public func unsafeReentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try slot.openDatabase.readOnly { try value(slot.openDatabase) }
        }
        return try unsafeRead(value, fileID: fileID, line: line)
    }

    // MARK: Writing

    /// Writes in one immediate transaction; blocks the thread.
    ///
    /// It commits when `updates` returns, and rolls back when it throws.
    ///
    /// - Parameters:
    ///   - updates: Writes. An access of the same queue inside of it is a fatal error.
    ///   - fileID: The file that `status()` shows as the holder.
    ///   - line: The line that `status()` shows as the holder.
    /// - Returns: What the closure returns.
    /// - Throws: What `updates` throws, and ``DatabaseError``.
    @inlinable
    public func write<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try write(at: AccessSite(fileID: fileID, line: line), updates)
    }

    /// Writes in one transaction, as an access that `status()` shows under a name.
    @inlinable
    public func write<T>(
        as label: AccessLabel,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try write(at: AccessSite(label), updates)
    }

    @inlinable
    @inline(__always)
    func write<T>(at site: AccessSite, _ updates: (Database) throws -> T) throws -> T {
        let db = try beginWrite(site)
        let result: T
        do {
            result = try updates(db)
        } catch {
            abandonWrite(db)
            throw error
        }
        try endWrite(db)
        return result
    }

    /// Writes in one immediate transaction, without blocking the thread.
    ///
    /// - Throws: What `updates` throws, ``DatabaseError``, and `CancellationError`.
    public func write<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await gate.perform(AccessSite(fileID: fileID, line: line), .write) { db in
            try db.withWriteTransaction(updates)
        }
    }

    /// Gives the connection without a transaction: each statement commits on its own.
    ///
    /// A transaction that `updates` leaves open is a fatal error, unless
    /// ``Configuration/allowsUnsafeTransactions``.
    public func writeWithoutTransaction<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try withConnection(AccessSite(fileID: fileID, line: line), .write, updates)
    }

    /// Gives the connection without a transaction, as an access shown under a name.
    public func writeWithoutTransaction<T>(
        as label: AccessLabel,
        _ updates: (Database) throws -> T
    ) throws -> T {
        try withConnection(AccessSite(label), .write, updates)
    }

    /// Gives the connection without a transaction, and without blocking the thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> T {
        try await gate.perform(AccessSite(fileID: fileID, line: line), .write) { db in
            defer { db.preconditionNoTransactionIsLeftOpen() }
            return try updates(db)
        }
    }

    /// Gives the connection without a transaction.
    public func inDatabase<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try withConnection(AccessSite(fileID: fileID, line: line), .write, updates)
    }

    /// Writes in a transaction that ends as `updates` says.
    public func inTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try withConnection(AccessSite(fileID: fileID, line: line), .write) { db in
            try db.inTransaction(kind) { try updates(db) }
        }
    }

    /// Writes in a transaction that ends as `updates` says.
    public func writeInTransaction(
        _ kind: Database.TransactionKind? = nil,
        _ updates: (Database) throws -> Database.TransactionCompletion,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try inTransaction(kind, updates, fileID: fileID, line: line)
    }

    /// Gives the connection: a queue has no readers to keep out.
    public func barrierWriteWithoutTransaction<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try withConnection(AccessSite(fileID: fileID, line: line), .write, updates)
    }

    /// Uses the connection, also when the thread already holds it; no transaction.
    public func unsafeReentrantWrite<T>(
        _ updates: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try updates(slot.openDatabase)
        }
        return try withConnection(AccessSite(fileID: fileID, line: line), .write, updates)
    }

    private func withConnection<T>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        _ body: (Database) throws -> T
    ) throws -> T {
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        let slot = try gate.enter(thread, site, intent)
        defer { gate.leave(slot) }
        defer { slot.openDatabase.preconditionNoTransactionIsLeftOpen() }
        return try body(slot.openDatabase)
    }

    // MARK: The whole queue

    /// Interrupts the statement that runs; it throws `SQLITE_INTERRUPT`.
    ///
    /// An idle connection ignores it. May be called from any thread at any time.
    public func interrupt() {
        interrupts.interrupt(gate.slots)
    }

    /// Closes the connection, when the accesses that run have ended; closing twice does nothing.
    ///
    /// Later accesses throw `SQLITE_MISUSE`.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement is still alive; then the queue stays open.
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

    /// What can be seen of the queue now, taken without stopping anyone.
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
        if status.journalMode == "wal" {
            status.addWAL(log, writing: gate, reading: nil, snapshots: nil)
        }
        return status
    }
}

// MARK: - The sides of a generic access, which need not be specialized

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
        defer { gate.leave(database) }
        try database.endReadAccess()
    }

    @usableFromInline
    func abandonRead(_ database: Database) {
        database.readOnlyDepth -= 1
        database.abandonTransaction()
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
