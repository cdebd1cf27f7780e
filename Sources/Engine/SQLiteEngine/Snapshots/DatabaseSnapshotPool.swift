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
        let slot = try gate.enter(thread, at: site, intent: .read).takeUnretainedValue()
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
        gate.performLater(at: site, intent: .read) {
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

/// A lock that prevents writes to a database until several connections have acquired the same
/// state.
///
/// The function `sqlite3_snapshot_open` makes a connection read the state of another connection,
/// but some builds of SQLite, such as Debian's, do not include it. For the current state, holding
/// the write lock while all connections start their transactions has the same effect.
struct FrozenState {
    let path: String
    let configuration: Configuration

    /// Runs `body` while no connection can write.
    ///
    /// - Throws: `SQLITE_ERROR` if the database is read-only or the calling thread holds the write
    ///   lock, and `SQLITE_BUSY` if another thread or process holds the lock for longer than the
    ///   busy timeout. The default timeout is ten seconds.
    func hold<T>(_ body: () throws -> T) throws -> T {
        guard !configuration.readonly || configuration.isForReaderOfWritablePool else {
            throw Self.error("a snapshot pool cannot be created from a read-only database")
        }
        var writableConfiguration = configuration
        writableConfiguration.readonly = false
        let holder = try Database.open(
            path: path,
            configuration: writableConfiguration,
            label: "\(configuration.label ?? "SQLiteEngine.DatabaseSnapshotPool").holder",
            busyMode: configuration.readonlyBusyMode ?? .timeout(10),
            probe: ConnectionProbe(level: .off)
        )
        return try holder.withOpenConnection { holder in
            let mode = try String.fetchOne(holder, sql: "PRAGMA journal_mode")
            guard mode == "wal" else {
                throw DatabaseError(
                    message: "a snapshot pool requires a database in WAL mode: `\(path)` is in "
                        + "`\(mode ?? "?")` mode"
                )
            }
            try Self.checkThreadHoldsNoWriteLock(on: holder)
            try holder.execute(sql: "BEGIN IMMEDIATE TRANSACTION")
            defer { holder.abandonTransaction() }
            return try body()
        }
    }

    /// Throws an error if an access on the calling thread holds the database's write lock.
    ///
    /// The thread would otherwise wait for a lock that it already holds.
    private static func checkThreadHoldsNoWriteLock(on holder: Database) throws {
        let path = holder.fullPath
        let writer = ThreadState.current.pointee.firstDatabase { database in
            sqlite3_txn_state(database.handle, "main") == SQLITE_TXN_WRITE
                && database.fullPath == path
        }
        guard let writer else { return }
        throw DatabaseError(
            message: "a snapshot pool cannot be created inside a write transaction: "
                + "\(writer.label) holds the write lock on the same thread. Create it before that "
                + "transaction, or after its commit"
        )
    }

    /// Returns the error for an operation that requires `sqlite3_snapshot_*`.
    static func error(_ problem: String) -> DatabaseError {
        DatabaseError(
            message:
                "\(problem): this requires SQLite's sqlite3_snapshot_* functions, which are not "
                + "used because some builds of SQLite do not include them"
        )
    }
}

extension Database {
    /// Opens a snapshot's connection and starts its transaction.
    static func openInTransaction(
        path: String,
        configuration: Configuration,
        _ slot: AccessSlot
    ) throws -> Database {
        let database = try open(
            path: path,
            configuration: configuration,
            label: slot.label,
            isReadOnly: true,
            busyMode: configuration.readonlyBusyMode ?? .timeout(10),
            probe: slot.probe
        )
        do {
            database.locateWALIndex()
            try database.beginReadAccess()
            try database.captureState()
        } catch {
            database.closeIgnoringErrors()
            throw error
        }
        return database
    }

    /// Checks that the connection reads the last committed state.
    ///
    /// The caller must ensure that no connection can write during the check.
    ///
    /// - Throws: `SQLITE_ERROR` if the connection reads an earlier state, or if the state cannot be
    ///   determined.
    func checkLastState() throws {
        guard isInsideTransaction else { return }
        switch sqlite3_txn_state(handle, "main") {
        case SQLITE_TXN_NONE:
            // The transaction has not read anything yet.
            try captureState()
        case SQLITE_TXN_READ where kept.pointee.readsLastState():
            break
        default:
            throw FrozenState.error(
                "a snapshot pool cannot show the state of an earlier read; create it before "
                    + "the first statement"
            )
        }
    }

    /// The absolute path of the database file, or `nil` if there is no file.
    fileprivate var fullPath: String? {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) }
    }
}

extension DatabasePool {
    /// Creates a snapshot of the last committed state on a separate connection.
    ///
    /// Calling this method inside a write transaction of this pool is a fatal error. `status()`
    /// shows `label` for the snapshot, or the file and line of the call.
    ///
    /// - Throws: A ``DatabaseError``.
    public func makeSnapshot(
        as label: AccessLabel? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> DatabaseSnapshot {
        let site = AccessSite(label, fileID: fileID, line: line)
        if let slot = ThreadState.current.pointee.access(through: writer) {
            requirement(
                !slot.openDatabase.isInsideTransaction,
                "makeSnapshot() must not be called from inside a transaction."
            )
        }
        if writer.isClosed { throw DatabaseError.connectionIsClosed() }
        try file.check()
        return try snapshots.make { number in
            try DatabaseSnapshot(
                path: path,
                configuration: configuration,
                label: "\(self.label).snapshot.\(number)",
                site: site,
                events: writer.events
            )
        }
    }

    /// Creates a snapshot of the last committed state on several connections.
    ///
    /// Inside a read, the snapshot reads the same state as the read, which must still be the last
    /// committed state.
    ///
    /// - Throws: `SQLITE_ERROR` inside a write transaction, inside a read of an earlier state, or
    ///   on a read-only pool; otherwise, another ``DatabaseError``.
    public func makeSnapshotPool(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> DatabaseSnapshotPool {
        let site = AccessSite(fileID: fileID, line: line)
        let thread = ThreadState.current.pointee
        try file.check()
        return try snapshots.make { _ in
            if let slot = thread.access(through: readers) ?? thread.access(through: writer) {
                return try DatabaseSnapshotPool(
                    slot.openDatabase,
                    configuration,
                    site,
                    events: writer.events
                )
            }
            // Acquire the writer, so that this access waits for a write in the same pool instead of
            // competing for the lock.
            return try writeWithoutTransaction(at: site) { db in
                try DatabaseSnapshotPool(db, configuration, site, events: writer.events)
            }
        }
    }
}
