import CSQLite

/// Keeps a database from being written for as long as it takes several connections to take the
/// same state.
///
/// SQLite can move a connection to another one's state (`sqlite3_snapshot_open`), but not every
/// library has that function: Debian's has not. Holding the write lock while all of them begin
/// comes to the same, for the state of now.
struct FrozenState {
    let path: String
    let configuration: Configuration

    /// Runs `body` while nobody can write.
    ///
    /// - Throws: `SQLITE_ERROR` where the lock cannot be acquired: on a read-only database, and
    ///   where the calling thread holds it. `SQLITE_BUSY` when another thread or process holds it
    ///   for ten seconds.
    func hold<T>(_ body: () throws -> T) throws -> T {
        guard !configuration.readonly || configuration.isForReaderOfWritablePool else {
            throw Self.error("a snapshot pool cannot be made from a read-only database")
        }
        var writing = configuration
        writing.readonly = false
        let holder = try Database.open(
            path: path,
            configuration: writing,
            label: "\(configuration.label ?? "SQLiteEngine.DatabaseSnapshotPool").holder",
            busyMode: configuration.readonlyBusyMode ?? .timeout(10),
            probe: ConnectionProbe(level: .off)
        )
        return try holder.withOpenConnection { holder in
            let mode = try String.fetchOne(holder, sql: "PRAGMA journal_mode")
            guard mode == "wal" else {
                throw DatabaseError(
                    message: "a snapshot pool needs a database in WAL mode: `\(path)` is in "
                        + "`\(mode ?? "?")` mode"
                )
            }
            try Self.checkThreadHoldsNoWriteLock(on: holder)
            try holder.execute(sql: "BEGIN IMMEDIATE TRANSACTION")
            defer { holder.abandonTransaction() }
            return try body()
        }
    }

    /// Throws when an access of the calling thread holds the write lock of the holder's database:
    /// the thread would wait for itself.
    private static func checkThreadHoldsNoWriteLock(on holder: Database) throws {
        let path = holder.fullPath
        let writer = ThreadState.current.pointee.firstDatabase { database in
            sqlite3_txn_state(database.handle, "main") == SQLITE_TXN_WRITE
                && database.fullPath == path
        }
        guard let writer else { return }
        throw DatabaseError(
            message: "a snapshot pool cannot be made inside of a transaction that writes: "
                + "\(writer.label) holds the write lock on the same thread. Make it before that "
                + "transaction, or after its commit"
        )
    }

    /// The error of what only `sqlite3_snapshot_*` could do.
    static func error(_ what: String) -> DatabaseError {
        DatabaseError(
            message:
                "\(what): that takes SQLite's functions sqlite3_snapshot_*, which are not used "
                + "here because not every library has them"
        )
    }
}

extension Database {
    /// Makes sure that the connection shows the last committed state, while nobody can write.
    ///
    /// - Throws: `SQLITE_ERROR` when it shows an earlier one, or when nobody can tell.
    func checkLastState() throws {
        guard isInsideTransaction else { return }
        switch sqlite3_txn_state(handle, "main") {
        case SQLITE_TXN_NONE:
            // Nothing was read yet.
            try takeState()
        case SQLITE_TXN_READ where kept.pointee.showsLastState():
            break
        default:
            throw FrozenState.error(
                "a snapshot pool cannot be made of the state of an earlier read; make it before "
                    + "the first statement"
            )
        }
    }

    /// The absolute path of the file; nil for a database without one.
    fileprivate var fullPath: String? {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) }
    }

    /// A number that differs when the connection shows another state than before.
    ///
    /// See SQLITE_FCNTL_DATA_VERSION, https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html.
    var dataVersion: UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }
}
