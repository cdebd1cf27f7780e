import CSQLite
import Telemetry

/// A pool of connections that always read the same state of a database in WAL mode.
///
/// While a snapshot exists, a checkpoint cannot copy frames that are newer than the snapshot's
/// state, and the write-ahead log grows. All ``Configuration/maximumReaderCount`` connections are
/// opened when the snapshot is created, because a connection cannot acquire the state later.
///
/// ```swift
/// let snapshot = try pool.makeSnapshotPool()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// If a closure ends the transaction of its connection, the connection no longer reads the
/// snapshot's state and is closed after the access. When all connections are closed, reads throw
/// `SQLITE_ERROR`.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader, LiveSnapshot {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    let label: String
    let gate: AccessGate
    private let interrupts = ConnectionInterrupter()
    let life: SnapshotLife
    /// Each connection's ``Database/dataVersion`` in the snapshot's state.
    private let versions: [UInt32]

    /// Creates a snapshot of the last committed state of a database in WAL mode.
    ///
    /// - Throws: `SQLITE_ERROR` if the database is read-only or not in WAL mode, or another
    ///   ``DatabaseError``.
    public convenience init(
        path: String,
        configuration: Configuration = Configuration(),
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try self.init(
            path: path,
            configuration: configuration,
            site: AccessSite(fileID: fileID, line: line)
        ) {}
    }

    /// Creates a snapshot of the state that a connection reads, which must be the last committed
    /// state.
    ///
    /// The connection must be in WAL mode and outside a write transaction. The default
    /// configuration is the configuration of `db`.
    ///
    /// - Throws: `SQLITE_ERROR` if `db` reads an earlier state or has written, if the database is
    ///   not in WAL mode, or if it is read-only; otherwise, another ``DatabaseError``.
    public convenience init(
        _ db: Database,
        configuration: Configuration? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try self.init(db, configuration, AccessSite(fileID: fileID, line: line))
    }

    convenience init(
        _ db: Database,
        _ configuration: Configuration?,
        _ site: AccessSite,
        events: EventHub = EventHub()
    ) throws {
        if let error = db.standInError { throw error }
        guard db.handle != nil else { throw DatabaseError.connectionIsClosed() }
        try db.restartReadTransaction()
        guard sqlite3_txn_state(db.handle, "main") != SQLITE_TXN_WRITE else {
            throw DatabaseError(
                message: "a snapshot pool cannot be created inside a write transaction: "
                    + "create it before the transaction, or after the commit"
            )
        }
        try self.init(
            path: db.path,
            configuration: configuration ?? db.configuration,
            site: site,
            events: events
        ) { try db.checkLastState() }
    }

    /// Acquires the last committed state, and calls `check` while no connection can write.
    init(
        path: String,
        configuration: Configuration,
        site: AccessSite,
        events: EventHub = EventHub(),
        check: () throws -> Void
    ) throws {
        let label = configuration.label ?? "SQLiteEngine.DatabaseSnapshotPool"
        var snapshotConfiguration = configuration
        snapshotConfiguration.readonly = true
        // The transactions stay open between accesses.
        snapshotConfiguration.allowsUnsafeTransactions = true
        let connectionConfiguration = snapshotConfiguration
        let gate = AccessGate(
            .snapshot,
            labels: (1...configuration.maximumReaderCount).map { "\(label).snapshot.\($0)" },
            probes: configuration.probes,
            events: events,
            dispatching: configuration.readDispatching
        ) { slot in
            try Database.openInTransaction(path: path, configuration: connectionConfiguration, slot)
        }
        versions = try FrozenState(path: path, configuration: configuration).hold {
            try check()
            return try gate.slots.map { slot in
                guard slot.claimClosed() else { return 0 }
                let version = try gate.open(slot, site).openDatabase.dataVersion(of: "main")
                gate.release(slot)
                return version
            }
        }
        self.gate = gate
        self.configuration = connectionConfiguration
        self.path = path
        self.label = label
        life = SnapshotLife(events: events, label: label, site: site)
    }

    // MARK: Reading

    /// Reads the state of the snapshot, blocking the thread.
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        try checkNotLost()
        let slot = try gate.enter(thread, site, .read)
        defer { gate.leaveOpenOrClosed(slot) }
        let database = slot.openDatabase
        defer { closeIfLost(database) }
        return try gate.hasTargetQueue ? gate.runOnQueue(database, value) : value(database)
    }

    /// Reads the state of the snapshot, without blocking the thread.
    public func read<T: Sendable>(
        at site: AccessSite,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try checkNotLost()
        return try await gate.perform(site, .read) { db in
            defer { closeIfLost(db) }
            return try value(db)
        }
    }

    /// Schedules a read of the snapshot's state, and returns immediately.
    public func asyncRead(
        at site: AccessSite,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        do {
            try checkNotLost()
        } catch {
            value(.failure(error))
            return
        }
        gate.performLater(site, .read) {
            value(.failure($0))
        } _: { [self] db in
            value(.success(db))
            closeIfLost(db)
        }
    }

    /// Reads the state of the snapshot on the thread's current connection, or on a free connection.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try value(slot.openDatabase)
        }
        return try read(at: site, value)
    }

    // MARK: Lost connections

    private func closeIfLost(_ database: Database) {
        guard let slot = database.slot?.takeUnretainedValue() else { return }
        guard
            sqlite3_txn_state(database.handle, "main") != SQLITE_TXN_READ
                || database.dataVersion(of: "main") != versions[slot.index]
        else { return }
        slot.isLost = true
        slot.uninstall()?.closeIgnoringErrors()
        // Wake the waiting accesses, which would otherwise wait forever.
        if gate.slots.allSatisfy(\.isLost) { gate.retire() } else { gate.wakeThreads() }
    }

    private func checkNotLost() throws {
        guard gate.slots[0].isLost, gate.slots.allSatisfy(\.isLost) else { return }
        throw FrozenState.error(
            "the snapshot is lost because closures have ended the transactions of all its "
                + "connections; create a new snapshot"
        )
    }

    // MARK: Interruption, closing, and status

    /// Interrupts the running statements, which then throw `SQLITE_INTERRUPT`.
    public func interrupt() { interrupts.interrupt(gate.slots) }

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
