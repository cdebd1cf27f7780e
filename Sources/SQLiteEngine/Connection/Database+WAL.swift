import CSQLite
import Foundation

extension Database {
    /// Switches the database to write-ahead logging, with `synchronous = NORMAL`.
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
        try execute(sql: "PRAGMA synchronous = NORMAL")
        var information = stat()
        if stat(path + "-wal", &information) != 0 || information.st_size == 0 {
            let version = try Int.fetchOne(self, sql: "PRAGMA user_version") ?? 0
            try inTransaction(.immediate) {
                try execute(sql: "PRAGMA user_version = \(version)")
                return .commit
            }
        }
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
        kept.pointee.walIndex = kept.pointee.keeper == nil ? nil : walIndex?.memory
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

    /// The SQL of the statements that are alive, which keep the connection from closing.
    private var liveStatements: [String] {
        var statements: [String] = []
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            statements.append(sqlite3_sql(statement).map { String(cString: $0).trimmedSQL } ?? "")
            next = sqlite3_next_stmt(handle, statement)
        }
        return statements
    }

    /// Makes sure that the connection can be closed, and lets its own statements go.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement of the user's is alive; the message names it.
    func prepareToClose() throws {
        removeCachedStatements()
        transactionStatements.finalize()
        let statements = liveStatements
        guard let first = statements.first else { return }
        for statement in statements {
            Self.logError?(.SQLITE_BUSY, "unfinalized statement: \(statement)")
        }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "unable to close due to unfinalized statements: \(label) still has "
                + (statements.count == 1 ? "`\(first)`" : "\(statements.count), one is `\(first)`")
        )
    }
}
