import CSQLite
import Foundation

extension Database {
    /// Switches the database to write-ahead logging.
    ///
    /// If the `-wal` file is missing or empty, this method writes content once, because a read-only
    /// connection cannot create the file. See https://sqlite.org/wal.html, "Read-Only Databases".
    ///
    /// - Throws: A ``DatabaseError`` that contains the path if SQLite cannot enter WAL mode, for
    ///   example on a file system without shared memory.
    func switchToWAL(path: String) throws {
        let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "could not activate WAL mode at `\(path)`: SQLite stays in "
                    + "`\(mode ?? "?")` mode"
            )
        }
        var information = stat()
        if stat(path + "-wal", &information) != 0 || information.st_size == 0 {
            try createLogContent()
        }
    }

    /// Writes to the `-wal` file without changing the database.
    ///
    /// A transaction that is rolled back after its pages were flushed leaves a header and frames
    /// without a commit. No connection reads these frames, and the next commit overwrites them.
    /// Even the `data_version` of other connections stays the same. See
    /// https://sqlite.org/walformat.html.
    ///
    /// If another connection holds the write lock, this method writes nothing. In this case, the
    /// file already exists and persists while this connection is open, so readers can attach to it.
    private func createLogContent() throws {
        try check(transactionStatements.prepareRollback(on: handle))
        let begin = sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
        if begin & 0xff == SQLITE_BUSY { return }
        try check(begin)
        defer {
            _ = transactionStatements.rollback(on: handle)
            isTransactionAbandoned = isInsideTransaction
            observationBroker?.discardTransactionEnd()
        }
        // The first page stays in use until the transaction ends and is not flushed. Creating a
        // table changes a second page.
        let sql = "CREATE TABLE IF NOT EXISTS poolgauge_log_creation (id)"
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
        try check(sqlite3_db_cacheflush(handle))
    }

    /// Determines the connection's wal-index after the connection opens or changes its journal
    /// mode.
    func locateWALIndex() {
        journalFile = nil
        updateWALIndex()
    }

    /// Determines the wal-index again if the connection has entered or left WAL mode.
    private func updateWALIndex() {
        let file = poolgauge_journal_file(handle)
        if let journalFile, journalFile == file, walIndex?.isUsed(by: handle) ?? true { return }
        walIndex = nil
        let wasMuted = isTraceMuted
        isTraceMuted = true
        defer { isTraceMuted = wasMuted }
        if readJournalMode() == "wal" {
            // SQLite maps the wal-index at the first read.
            sqlite3_exec(handle, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil)
            walIndex = WALIndex(handle)
        }
        journalFile = poolgauge_journal_file(handle)
        shareWALIndex()
    }

    /// Passes the wal-index to the probe, to the kept transaction, and, through the slot, to other
    /// threads.
    func shareWALIndex() {
        probe.walIndex = walIndex?.memory
        kept.pointee.walIndex = walIndex?.memory
        slot?._withUnsafeGuaranteedRef { $0.share(walIndex) }
    }

    /// Determines the wal-index again at the end of an access that used the C connection, which may
    /// have changed the journal mode.
    @inline(never)
    func reviewExposedHandle() {
        kept.pointee.isExposed = false
        findAttachedDatabases()
        updateWALIndex()
    }

    func findAttachedDatabases() {
        kept.pointee.hasAttachedDatabase = poolgauge_has_attached(handle) != 0
    }

    func journalMode() throws -> String? {
        try String.fetchOne(self, sql: "PRAGMA journal_mode")
    }
}

/// The wal-index of a database, which is the shared memory that describes its write-ahead log.
///
/// This object is the only owner of the pointer. The memory is mapped separately from SQLite's
/// mapping and stays readable regardless of the connection. If a program changes the journal mode
/// through the C connection, the contents become outdated but remain readable.
///
/// For the layout, see <https://sqlite.org/walformat.html>, section 2.1. Only the first page is
/// mapped. It contains both headers and the read marks.
///
/// `@unchecked Sendable`: the memory never moves and is read with atomic loads.
final class WALIndex: @unchecked Sendable {
    let memory: UnsafeRawPointer

    /// Maps the wal-index of a connection that has read in WAL mode.
    ///
    /// - Returns: `nil` if the connection has no shared wal-index, such as when the database is not
    ///   in WAL mode or the connection is in exclusive locking mode.
    init?(_ handle: SQLiteConnection?) {
        guard let handle, let memory = poolgauge_wal_index_map(poolgauge_wal_index(handle)) else {
            return nil
        }
        self.memory = memory
    }

    deinit { poolgauge_wal_index_unmap(memory) }

    /// Returns whether the connection is known to still use this wal-index.
    ///
    /// The salts in the header identify a log, but a log without frames has no salts, and its
    /// header is the same in every database. In this case, the method returns `false`. It can also
    /// return `false` during a commit.
    func isUsed(by handle: SQLiteConnection?) -> Bool {
        guard let handle, let current = poolgauge_wal_index(handle) else { return false }
        var header = poolgauge_wal_header()
        return poolgauge_wal_header_read(current, &header) != 0
            && poolgauge_wal_frames(header) > 0
            && poolgauge_wal_header_is(memory, header) != 0
    }
}
