import CSQLite

extension Database {
    /// The extent of a checkpoint (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
    public enum CheckpointMode: CInt, Hashable, Sendable {
        /// Copies as much as possible without waiting.
        case passive = 0
        /// Waits for writers, and copies everything that readers permit.
        case full = 1
        /// Behaves like `full`, and then waits for readers so that the next writer restarts the
        /// log.
        case restart = 2
        /// Behaves like `restart`, and also truncates the log.
        case truncate = 3
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Parameters:
    ///   - kind: The extent of the checkpoint.
    ///   - dbName: The name of an attached database; nil for all databases.
    /// - Returns: The number of frames in the log and the number that are now in the database file;
    ///   both are -1 if the database is not in WAL mode.
    /// - Throws: `SQLITE_BUSY` if another connection blocks a mode other than passive, and
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

    /// Releases as much of the connection's memory as possible: its page cache and its prepared
    /// statements.
    public func releaseMemory() {
        removeCachedStatements()
        sqlite3_db_release_memory(handle)
    }

    /// Fixes the open read transaction to the last committed state.
    ///
    /// `BEGIN` does not read a state yet: the first statement that reads does so
    /// (https://sqlite.org/lang_transaction.html, section 2.1).
    func captureState() throws {
        try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    }
}
