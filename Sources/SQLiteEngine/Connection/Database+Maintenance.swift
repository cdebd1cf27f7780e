import CSQLite

extension Database {
    /// The extent of a checkpoint.
    ///
    /// See <https://sqlite.org/c3ref/wal_checkpoint_v2.html>.
    public enum CheckpointMode: CInt, Hashable, Sendable {
        /// Copies as many frames as possible without waiting.
        case passive = 0
        /// Waits for the writer and for readers of older states, then copies all frames.
        case full = 1
        /// Behaves like `full`, then waits for readers of the log so that the next writer restarts
        /// the log.
        case restart = 2
        /// Behaves like `restart`, then truncates the log.
        case truncate = 3
    }

    /// Copies the write-ahead log into the database file.
    ///
    /// - Parameters:
    ///   - kind: The extent of the checkpoint.
    ///   - dbName: The name of a database, or `nil` for all databases.
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: `SQLITE_BUSY` if another connection blocks a mode other than passive, or
    ///   `SQLITE_LOCKED` inside a transaction.
    @discardableResult
    public func checkpoint(
        _ kind: CheckpointMode = .passive,
        on dbName: String? = "main"
    ) throws -> (walFrameCount: Int, checkpointedFrameCount: Int) {
        try restartReadTransaction()
        var frames: CInt = -1
        var copied: CInt = -1
        try check(sqlite3_wal_checkpoint_v2(handle, dbName, kind.rawValue, &frames, &copied))
        if frames >= 0, dbName == nil || dbName == "main" { probe.didCheckpoint(mode: "\(kind)") }
        return (Int(frames), Int(copied))
    }

    /// Releases as much of the connection's memory as possible, including its page cache and its
    /// prepared statements.
    public func releaseMemory() {
        removeCachedStatements()
        sqlite3_db_release_memory(handle)
    }

    /// Makes the open read transaction read the last committed state.
    ///
    /// `BEGIN` alone does not start a read. The first statement that reads determines the state.
    /// See https://sqlite.org/lang_transaction.html, section 2.1.
    func captureState() throws {
        try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    }
}
