import CSQLite
import Foundation

extension Database {
    /// Switches the database to write-ahead logging.
    ///
    /// An absent or empty `-wal` file is given content once: a connection that is read-only
    /// cannot create it (https://sqlite.org/wal.html, "Read-Only Databases").
    ///
    /// - Throws: A ``DatabaseError`` that names the file when SQLite stays in another mode, as on
    ///   a medium without shared memory.
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
    /// without a commit. No connection reads them, and the next commit overwrites them
    /// (https://sqlite.org/walformat.html). So even the `data_version` of other connections stays
    /// the same.
    ///
    /// While another connection holds the write lock, nothing is written. The file exists already,
    /// and stays while this connection is open, so that readers can attach to it.
    private func createLogContent() throws {
        let begin = sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
        if begin & 0xff == SQLITE_BUSY { return }
        try check(begin)
        defer {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            observationBroker?.discardTransactionEnd()
        }
        // The first page stays in use until the transaction ends, and is not flushed: a table
        // needs a second one.
        let sql = "CREATE TABLE IF NOT EXISTS poolgauge_log_creation (id)"
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
        try check(sqlite3_db_cacheflush(handle))
    }

    /// Finds the wal-index of the connection, which has been opened or changed its journal mode.
    func locateWALIndex() {
        journalFile = nil
        reviewWALIndex()
    }

    /// Finds the wal-index again if the connection has left WAL mode, or entered it, since the last
    /// review.
    private func reviewWALIndex() {
        let file = poolgauge_journal_file(handle)
        if let journalFile, journalFile == file, walIndex?.isUsed(by: handle) ?? true { return }
        walIndex = nil
        let wasMuted = isTraceMuted
        isTraceMuted = true
        defer { isTraceMuted = wasMuted }
        if readJournalMode() == "wal" {
            // SQLite maps the wal-index for the first read.
            sqlite3_exec(handle, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil)
            walIndex = WALIndex(handle)
        }
        journalFile = poolgauge_journal_file(handle)
        shareWALIndex()
    }

    /// Gives the wal-index to those that read it: the probe, the kept transaction, and through the
    /// slot, other threads.
    func shareWALIndex() {
        probe.walIndex = walIndex?.memory
        kept.pointee.walIndex = walIndex?.memory
        slot?._withUnsafeGuaranteedRef { $0.share(walIndex) }
    }

    /// Reviews, at the end of an access, what ran on the C connection: it may have changed the
    /// journal mode.
    @inline(never)
    func reviewExposedHandle() {
        kept.pointee.isExposed = false
        reviewWALIndex()
    }

    /// The journal mode in force.
    func journalMode() throws -> String? {
        try String.fetchOne(self, sql: "PRAGMA journal_mode")
    }
}
