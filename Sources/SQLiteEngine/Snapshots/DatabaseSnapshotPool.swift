import CSQLite
import Telemetry

/// Several connections that keep seeing one state of a database in WAL mode.
///
/// While it lives, a checkpoint cannot go past that state, and the write-ahead log grows. Its
/// connections, ``Configuration/maximumReaderCount`` of them, are all opened when it is made:
/// nobody could take that state later.
///
/// ```swift
/// let snapshot = try pool.makeSnapshotPool()
/// let count = try snapshot.read { db in
///     try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
/// }
/// ```
///
/// A connection whose transaction is ended by the reading closure shows another state from then
/// on: it is closed after that access. When all of them are, reading throws `SQLITE_ERROR`.
public final class DatabaseSnapshotPool: DatabaseSnapshotReader, LiveSnapshot {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The path of the database file.
    public let path: String

    let label: String
    let gate: AccessGate
    private let site: AccessSite
    private let interrupts = InterruptCounter()
    private let hasQueue: Bool
    /// When its state was taken, in nanoseconds of the monotonic clock.
    private let madeAt: UInt64
    private let life: SnapshotLife
    /// The ``Database/dataVersion`` of each connection in that state.
    private let versions: [UInt32]

    /// Takes the last committed state of a database.
    ///
    /// - Parameters:
    ///   - path: The path of a database in WAL mode.
    ///   - configuration: How to open it.
    ///   - fileID: The file that `status()` shows as the origin.
    ///   - line: The line that `status()` shows as the origin.
    /// - Throws: `SQLITE_ERROR` when it is not in WAL mode, or read-only; a ``DatabaseError``.
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

    /// Takes the state that a connection shows, which must be the last committed one.
    ///
    /// - Parameters:
    ///   - db: A connection in WAL mode, outside a transaction that writes.
    ///   - configuration: How to open the snapshot's connections; as `db` by default.
    ///   - fileID: The file that `status()` shows as the origin.
    ///   - line: The line that `status()` shows as the origin.
    /// - Throws: `SQLITE_ERROR` when `db` shows an earlier state or has written, when the database
    ///   is not in WAL mode, or read-only; a ``DatabaseError``.
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
                message: "a snapshot pool cannot be made inside of a transaction that writes: "
                    + "make it before, or after the commit"
            )
        }
        try self.init(
            path: db.path,
            configuration: configuration ?? db.configuration,
            site: site,
            events: events
        ) { try db.checkLastState() }
    }

    /// Takes the last committed state; calls `check` while nobody can write.
    init(
        path: String,
        configuration: Configuration,
        site: AccessSite,
        events: EventHub = EventHub(),
        check: () throws -> Void
    ) throws {
        let label = configuration.label ?? "SQLiteEngine.DatabaseSnapshotPool"
        var reading = configuration
        reading.readonly = true
        // Their transactions are open between the accesses.
        reading.allowsUnsafeTransactions = true
        let opened = reading
        let gate = AccessGate(
            labels: (1...configuration.maximumReaderCount).map { "\(label).snapshot.\($0)" },
            probes: configuration.probes,
            events: events,
            dispatching: configuration.readDispatching
        ) { slot in
            let database = try Database.open(
                path: path,
                configuration: opened,
                label: slot.label,
                isReadOnly: true,
                busyMode: opened.readonlyBusyMode ?? .timeout(10),
                probe: slot.probe
            )
            do {
                database.locateWALIndex()
                try database.beginReadAccess()
                try database.takeState()
            } catch {
                database.closeIgnoringErrors()
                throw error
            }
            return database
        }
        versions = try FrozenState(path: path, configuration: configuration).hold {
            try check()
            return try gate.slots.map { slot in
                guard slot.claimClosed() else { return 0 }
                let version = try gate.open(slot, site).openDatabase.dataVersion
                gate.release(slot)
                return version
            }
        }
        self.gate = gate
        self.configuration = opened
        self.path = path
        self.label = label
        self.site = site
        hasQueue = configuration.readDispatching.target != nil
        madeAt = monotonicNanoseconds()
        life = SnapshotLife(events: events, label: label, site: site, madeAt: madeAt)
    }

    // MARK: Reading

    /// Reads the snapshot's state; blocks the thread.
    public func read<T>(at site: AccessSite, _ value: (Database) throws -> T) throws -> T {
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        try checkNotLost()
        let slot = try gate.enter(thread, site, .read)
        defer { gate.leaveOpenOrNot(slot) }
        let database = slot.openDatabase
        defer { closeIfLost(database) }
        return try hasQueue ? gate.runOnQueue(database, value) : value(database)
    }

    /// Reads the snapshot's state, without blocking the thread.
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

    /// Reads the snapshot's state later, on another thread.
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

    /// Reads on the connection that the thread already holds, or on a free one.
    public func unsafeReentrantRead<T>(
        at site: AccessSite,
        _ value: (Database) throws -> T
    ) throws -> T {
        if let slot = ThreadState.current.pointee.access(through: gate) {
            return try value(slot.openDatabase)
        }
        return try read(at: site, value)
    }

    // MARK: Connections that are lost

    private func closeIfLost(_ database: Database) {
        guard let slot = database.slot?.takeUnretainedValue() else { return }
        guard
            sqlite3_txn_state(database.handle, "main") != SQLITE_TXN_READ
                || database.dataVersion != versions[slot.index]
        else { return }
        slot.isLost = true
        slot.uninstall()?.closeIgnoringErrors()
        // Those who wait would wait forever.
        if gate.slots.allSatisfy(\.isLost) { gate.retire() } else { gate.wakeThreads() }
    }

    private func checkNotLost() throws {
        guard gate.slots[0].isLost, gate.slots.allSatisfy(\.isLost) else { return }
        throw FrozenState.error(
            "the snapshot is lost, because each of its connections had its transaction ended by a "
                + "reading closure; it cannot be taken anew"
        )
    }

    // MARK: The whole snapshot

    /// Interrupts the statements that run; they throw `SQLITE_INTERRUPT`.
    public func interrupt() { interrupts.interrupt(gate.slots) }

    /// Ends the snapshot; later accesses throw `SQLITE_MISUSE`, and closing again does nothing.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement of the user is still alive. Then nothing is closed,
    ///   and the snapshot remains usable.
    public func close() throws {
        if gate.isClosed { return }
        let thread = ThreadState.current
        gate.preconditionNotReentrant(thread)
        try gate.withAllSlotsUnlessClosed(thread, site) { slots in
            for slot in slots { try slot.database?.prepareToClose() }
            for slot in slots { slot.uninstall()?.closeIgnoringErrors() }
            gate.retire()
            life.end()
        }
    }

    /// Reports the current status of the snapshot without blocking any access.
    public func status() -> DatabaseStatus {
        var status = DatabaseStatus.of(
            label: label,
            kind: .snapshot,
            path: path,
            writing: (gate, .snapshot),
            reading: nil,
            snapshots: nil,
            interrupts: interrupts
        )
        status.snapshots = [snapshotStatus(at: status.takenAtNanoseconds)]
        return status
    }

    func snapshotStatus(at now: UInt64) -> SnapshotStatus {
        SnapshotStatus(
            label: label,
            origin: site.origin ?? AccessOrigin(name: label),
            ageNanoseconds: now > madeAt ? now - madeAt : 0
        )
    }
}

extension DatabasePool {
    /// Makes a snapshot with several connections, which keeps seeing the last committed state.
    ///
    /// Inside a read it is made of that read's state, if that is still the last committed one.
    ///
    /// - Throws: `SQLITE_ERROR` inside a transaction that writes, of the state of an earlier
    ///   read, and from a read-only pool; a ``DatabaseError``.
    public func makeSnapshotPool(
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws -> DatabaseSnapshotPool {
        let site = AccessSite(fileID: fileID, line: line)
        let thread = ThreadState.current.pointee
        return try snapshots.make { _ in
            if let slot = thread.access(through: readers) ?? thread.access(through: writer) {
                return try DatabaseSnapshotPool(
                    slot.openDatabase,
                    configuration,
                    site,
                    events: writer.events
                )
            }
            // Not while somebody here writes: waiting in turn beats asking for the lock.
            return try writeWithoutTransaction(at: site) { db in
                try DatabaseSnapshotPool(db, configuration, site, events: writer.events)
            }
        }
    }
}
