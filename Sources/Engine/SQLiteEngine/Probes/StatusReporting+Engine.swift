import Telemetry

extension DatabaseQueue: StatusReporting {}

extension DatabasePool: StatusReporting {}

extension DatabaseWriter {
    /// Runs a passive checkpoint when the writer is free, without blocking the thread.
    ///
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: ``DatabaseError``.
    public func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int) {
        try await writeWithoutTransaction { db in
            let result = try db.checkpoint()
            return (result.walFrameCount, result.checkpointedFrameCount)
        }
    }
}
