/// A database that reports its status and events, and that supports interrupts and checkpoints.
///
/// The queue and the pool of SQLiteEngine conform to this protocol. Agents and the metrics reporter
/// support any conforming database. In a status, `nil` represents a value that the database does
/// not report.
public protocol StatusReporting: Sendable {
    /// Returns the current status without blocking accesses.
    func status() -> DatabaseStatus

    /// Returns a new stream of the events from now on.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    func events(slowerThan limit: Duration, buffering capacity: Int) -> AsyncStream<ConnectionEvent>

    /// Interrupts the running statements.
    func interrupt()

    /// Runs a passive checkpoint once the writer is free.
    ///
    /// - Returns: The number of frames in the log, and the number of those frames that have been
    ///   copied to the database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: The database's error if the checkpoint fails.
    func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int)
}
