import CSQLite

extension Database {
    /// Copies the entire database, replacing the contents of another database.
    ///
    /// ```swift
    /// try source.read { from in
    ///     try target.writeWithoutTransaction { to in
    ///         try from.backup(to: to, pagesPerStep: 100) { progress in
    ///             print(progress.completedPageCount, "of", progress.totalPageCount)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Until the backup ends, the source keeps a read transaction open. In WAL mode, the log therefore
    /// grows; otherwise, other processes cannot commit.
    ///
    /// - Parameters:
    ///   - destDb: The database to overwrite. If the backup fails, this database is unchanged.
    ///   - pagesPerStep: The number of pages to copy between two calls to `progress`. If the number
    ///     is negative, one step copies all pages. All steps copy the same state, even if other
    ///     connections commit in the meantime.
    ///   - progress: A closure that is called after each step. If the closure throws before the
    ///     backup is complete, the backup ends with that error. An error after the last step is
    ///     ignored.
    /// - Throws: A ``DatabaseError``, or the error that `progress` throws.
    public func backup(
        to destDb: Database,
        pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        if let error = standInError ?? destDb.standInError { throw error }
        try destDb.checkFilesBeforeWrite()
        try restartReadTransaction()
        try withReadState {
            guard
                let backup = sqlite3_backup_init(destDb.handle, "main", handle, "main")
            else { throw destDb.lastError() }
            do {
                while try !step(backup, to: destDb, pageCount: pagesPerStep, progress) {}
            } catch {
                sqlite3_backup_finish(backup)
                throw error
            }
            try destDb.check(sqlite3_backup_finish(backup))
        }
        destDb.schemaDidChange()
        destDb.discardCachedSchema()
    }

    /// Runs `body` while the connection reads one state.
    ///
    /// SQLite's backup starts and ends a read transaction for each step unless one is open, and
    /// copies all pages again if the database has changed in between. See
    /// https://sqlite.org/c3ref/backup_finish.html.
    private func withReadState(_ body: () throws -> Void) throws {
        guard !isInsideTransaction else {
            if sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE {
                try withoutRecording { try captureState() }
            }
            return try body()
        }
        // In autocommit mode, an unfinished statement keeps a read transaction open, and the
        // closure that receives the progress can still write on this connection.
        var statement: SQLiteStatement?
        try check(sqlite3_prepare_v2(handle, "PRAGMA schema_version", -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { throw lastError() }
        try body()
    }

    /// Performs one step of a backup, and returns whether the backup is complete.
    private func step(
        _ backup: OpaquePointer,
        to destDb: Database,
        pageCount: CInt,
        _ progress: ((DatabaseBackupProgress) throws -> Void)?
    ) throws -> Bool {
        try cancellation?.check()
        let code = sqlite3_backup_step(backup, pageCount)
        guard code == SQLITE_OK || code == SQLITE_DONE else {
            // Only `sqlite3_backup_finish` sets the error of the destination.
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        let state = DatabaseBackupProgress(
            remainingPageCount: Int(sqlite3_backup_remaining(backup)),
            totalPageCount: Int(sqlite3_backup_pagecount(backup)),
            isCompleted: code == SQLITE_DONE
        )
        if state.isCompleted {
            try? progress?(state)
        } else {
            try progress?(state)
        }
        return state.isCompleted
    }

    /// Erases the contents of the database.
    ///
    /// The page size and the journal mode are preserved.
    func erase() throws {
        let pageSize = try Int.fetchOne(self, sql: "PRAGMA page_size") ?? 4_096
        try Database.open(
            path: ":memory:",
            configuration: Configuration(),
            label: "erase",
            probe: ConnectionProbe(level: .off)
        ).withOpenConnection { empty in
            // A backup copies the page size of the source, which a destination in WAL mode cannot
            // change. See https://sqlite.org/pragma.html#pragma_page_size.
            try empty.execute(sql: "PRAGMA page_size = \(pageSize)")
            try empty.backup(to: self)
        }
    }

    /// Runs `body`, then closes the connection.
    func withOpenConnection<T>(_ body: (Database) throws -> T) rethrows -> T {
        defer { closeIgnoringErrors() }
        return try body(self)
    }
}

/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied (`sqlite3_backup_remaining`).
    public let remainingPageCount: Int

    /// The number of pages in the source (`sqlite3_backup_pagecount`).
    public let totalPageCount: Int

    /// Whether all pages have been copied.
    public let isCompleted: Bool

    /// The number of copied pages.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}
