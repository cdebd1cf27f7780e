import CSQLite

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
