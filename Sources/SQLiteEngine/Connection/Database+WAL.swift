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
        let begin = sqlite3_exec(sqliteConnection, "BEGIN IMMEDIATE", nil, nil, nil)
        if begin & 0xff == SQLITE_BUSY { return }
        try check(begin)
        defer {
            sqlite3_exec(sqliteConnection, "ROLLBACK", nil, nil, nil)
            observationBroker?.discardTransactionEnd()
        }
        // The first page stays in use until the transaction ends, and is not flushed: a table
        // needs a second one.
        let sql = "CREATE TABLE IF NOT EXISTS poolgauge_log_creation (id)"
        try check(sqlite3_exec(sqliteConnection, sql, nil, nil, nil))
        try check(sqlite3_db_cacheflush(sqliteConnection))
    }

    /// Lets the probe see the wal-index; the connection has read in WAL mode.
    func watchLog() {
        probe.walIndex = poolgauge_wal_index(sqliteConnection)
    }

    /// Forgets where the wal-index is in memory, before a statement that may end WAL mode.
    func forgetWALIndex() {
        endKeptTransaction()
        keepsNoReadTransactions()
        probe.walIndex = nil
        slot?._withUnsafeGuaranteedRef { $0.forgetWALIndex() }
    }

    /// Finds the wal-index after a statement that may have begun WAL mode.
    func findWALIndexAgain() throws {
        // Inside a transaction the mode cannot change, and there is more to come.
        guard try journalMode() == "wal" else { return }
        // The wal-index is mapped by the first read.
        _ = try Row.fetchOne(self, sql: "SELECT 1 FROM sqlite_master LIMIT 1")
        watchLog()
        if configuration.keepsReadTransactions { try keepReadTransactions() }
        slot?._withUnsafeGuaranteedRef { $0.locateWALIndex() }
    }

    /// The journal mode in force.
    func journalMode() throws -> String? {
        try String.fetchOne(self, sql: "PRAGMA journal_mode")
    }
}
