import CSQLite

extension Database {
    /// How far a checkpoint goes (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
    public enum CheckpointMode: CInt, Hashable, Sendable {
        /// Copies what it can without waiting for anybody.
        case passive = 0
        /// Waits for writers, and copies all that readers allow.
        case full = 1
        /// The same, then waits for readers, so that the next writer starts the log anew.
        case restart = 2
        /// The same, and truncates the log.
        case truncate = 3
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Parameters:
    ///   - kind: How far it goes.
    ///   - dbName: The name of an attached database; nil for all.
    /// - Returns: The frames of the log, and how many of them are in the database file now; both
    ///   -1 for a database that is not in WAL mode.
    /// - Throws: `SQLITE_BUSY` when somebody is in the way of another mode than passive,
    ///   `SQLITE_LOCKED` inside a transaction.
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive,
        on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try restartReadTransaction()
        var frames: CInt = -1
        var copied: CInt = -1
        try check(
            sqlite3_wal_checkpoint_v2(handle, dbName, kind.rawValue, &frames, &copied)
        )
        return (Int(frames), Int(copied))
    }

    /// Releases as much memory of the connection as possible: its page cache, and the statements
    /// that it keeps prepared.
    public func releaseMemory() {
        removeCachedStatements()
        sqlite3_db_release_memory(handle)
    }

    /// Makes the open read transaction see the last committed state from now on.
    ///
    /// `BEGIN` takes no state yet: the first statement that reads does
    /// (https://sqlite.org/lang_transaction.html, section 2.1).
    func takeState() throws {
        try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    }
}
