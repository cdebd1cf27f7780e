import CSQLite
import Foundation
import Synchronization
import Telemetry

/// A connection that always reads the database as it was when the snapshot was created.
///
/// While a snapshot exists, a checkpoint cannot copy frames that are newer than the snapshot's
/// state, and the write-ahead log grows. Release or ``close()`` the snapshot as soon as you no
/// longer need it.
///
/// If a closure ends the transaction that holds the state, its later statements read the newest
/// state, and all later reads of the snapshot throw an error.
///
/// ```swift
/// let snapshot = try pool.makeSnapshot()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
public final class DatabaseSnapshot: DatabaseSnapshotReader, LiveSnapshot {
    /// The configuration of the connection.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    let label: String
    let gate: AccessGate
    let interrupts = ConnectionInterrupter()
    let life: SnapshotLife

    /// The data version of the snapshot's state.
    private let version: UInt32

    /// Whether a closure has ended the transaction that holds the snapshot's state.
    private let isLost = Atomic<Bool>(false)

    init(
        path: String,
        configuration: Configuration,
        label: String,
        site: AccessSite,
        events: EventHub = EventHub()
    ) throws {
        var configuration = configuration
        configuration.readonly = true
        configuration.maximumReaderCount = 1
        // The connection's transaction stays open between accesses.
        configuration.allowsUnsafeTransactions = true
        let connectionConfiguration = configuration
        gate = AccessGate(
            .snapshot,
            labels: [label],
            probes: configuration.probes,
            events: events,
            dispatching: configuration.readDispatching
        ) { slot in
            try Database.openInTransaction(path: path, configuration: connectionConfiguration, slot)
        }
        self.configuration = configuration
        self.path = path
        self.label = label
        var version: UInt32 = 0
        if gate.slots[0].claimClosed() {
            let slot = try gate.open(gate.slots[0], site)
            version = slot.openDatabase.dataVersion(of: "main")
            gate.release(slot)
        }
        self.version = version
        life = SnapshotLife(events: events, label: label, site: site)
    }

    // MARK: Reading

    /// Reads the state of the snapshot, blocking the thread.
    ///
    /// Calling `read` on the same snapshot inside `value` is a fatal error.
    ///
    /// - Throws: The error that `value` throws, or `SQLITE_MISUSE` if the snapshot is closed.
    public func read<T, E: Error>(
        _ value: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try read(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads the state of the snapshot in the same way as `read`.
    public func unsafeRead<T, E: Error>(
        _ value: (Database) throws(E) -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(E) -> T {
        try read(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads the state of the snapshot, blocking the thread.
    public func read<T, E: Error>(
        at site: AccessSite,
        _ value: (Database) throws(E) -> T
    ) throws(E) -> T {
        try gate.withConnection(at: site, intent: .read) { db throws(E) in try readState(db, value)
        }
    }

    /// Reads the state of the snapshot, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await gate.perform(site, .read) { try readState($0, value) }
    }

    /// Schedules a read of the snapshot's state, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        gate.performLater(at: site, intent: .read) {
            value(.failure($0))
        } _: { [self] db in
            if isLost.load(ordering: .relaxed) { return value(.failure(Self.lostError)) }
            defer { findLoss(db) }
            value(.success(db))
        }
    }

    /// Reads the state of the snapshot, even if the thread is already reading the snapshot.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try value(slot.openDatabase)
        }
        return try read(at: site, value)
    }

    // MARK: A lost state

    /// Runs `value`, with a connection on which every statement throws if the state is lost.
    private func readState<T, E: Error>(
        _ db: Database,
        _ value: (Database) throws(E) -> T
    ) throws(E) -> T {
        if isLost.load(ordering: .relaxed) {
            return try Database.withStandIn(for: Self.lostError, label: label, value)
        }
        defer { findLoss(db) }
        return try value(db)
    }

    private func findLoss(_ db: Database) {
        // A stand-in replaces a connection that could not be acquired.
        guard !db.isStandIn else { return }
        let isKept =
            sqlite3_txn_state(db.handle, "main") == SQLITE_TXN_READ
            && db.dataVersion(of: "main") == version
        guard !isKept else { return }
        isLost.store(true, ordering: .relaxed)
        // Another transaction must not pin the log.
        db.abandonTransaction()
    }

    private static var lostError: DatabaseError {
        FrozenState.error(
            "the snapshot is lost because a closure has ended its transaction; create a new snapshot"
        )
    }

    // MARK: Interruption, closing, and status

    /// Interrupts the running statement, which then throws `SQLITE_INTERRUPT`.
    public func interrupt() {
        interrupts.interrupt(gate.slots)
    }

    /// Ends the snapshot.
    ///
    /// Later accesses throw `SQLITE_MISUSE`. Closing a closed snapshot has no effect.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements has not been finalized. In this
    ///   case, nothing is closed and the snapshot remains usable.
    public func close() throws {
        try gate.close(life.site) { life.end() }
    }

    /// Reports the current status of the snapshot without blocking any access.
    public func status() -> DatabaseStatus {
        DatabaseStatus.of(self, label: label, path: path, interrupts: interrupts)
    }
}

/// A reader that always reads the same state of the database.
///
/// A read without a transaction or inside another read is therefore safe.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
    /// Reads the state of the snapshot, even if the thread is already reading the snapshot.
    ///
    /// - Throws: The error that `value` throws, or a ``DatabaseError``.
    public func reentrantRead<T>(
        _ value: (Database) throws -> T,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> T {
        try unsafeReentrantRead(at: AccessSite(fileID: fileID, line: line), value)
    }

    /// Reads the state of the snapshot in the same way as `read`.
    public func unsafeRead<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        try read(at: site, value)
    }

    /// Reads the state of the snapshot in the same way as `read`.
    public func unsafeRead<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await read(at: site, value)
    }

    /// Schedules a read of the snapshot's state in the same way as `asyncRead`.
    public func asyncUnsafeRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        asyncRead(at: site, value)
    }
}
