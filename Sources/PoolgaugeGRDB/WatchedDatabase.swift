#if GRDB
import Foundation
import GRDB
import Telemetry

/// A GRDB database whose status an agent or a metrics reporter can report.
///
/// Open the database in the closure of ``init(configuration:open:)``, and start an agent:
///
/// ```swift
/// let watched = try WatchedDatabase { try DatabasePool(path: path, configuration: $0) }
/// let agent = try Agent.start(watched, name: "app")
/// ```
///
/// The status contains all connections of ``database``, their statements and transactions, and the
/// locks of other connections that they encountered. GRDB does not report which accesses wait for a
/// connection. Waits and call sites are known only for accesses through the methods of this class,
/// which otherwise behave like the methods of ``database``. An unknown value is `nil`.
///
/// An access that does not use these methods holds its connection while a statement or a
/// transaction is open. In `writeWithoutTransaction` and `unsafeRead`, each statement counts as one
/// access.
public final class WatchedDatabase<Writer: DatabaseWriter>: Sendable {
    /// The GRDB database.
    public let database: Writer
    let ledger: AccessLedger
    private let identity: DatabaseIdentity

    /// Opens a database and observes its connections.
    ///
    /// The observation uses the SQLite trace function and busy handler of each connection. The busy
    /// handler retries as configured. If the program later calls `db.trace` or changes the busy
    /// timeout of a connection, that connection's statements or locks are no longer observed.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the database.
    ///   - open: A closure that opens one database with the passed configuration.
    /// - Throws: The error that `open` throws.
    public init(
        configuration: Configuration = Configuration(),
        open: (Configuration) throws -> Writer
    ) throws {
        let ledger = AccessLedger(tracesStatements: true)
        database = try open(ledger.observing(configuration))
        self.ledger = ledger
        identity = DatabaseIdentity(of: database)
        ledger.start(maximumReaders: identity.maximumReaders)
    }
}

extension WatchedDatabase: StatusReporting {
    /// Returns the observed status without blocking any access.
    public func status() -> DatabaseStatus {
        var status = ledger.status(label: identity.label, kind: identity.kind)
        status.path = identity.path
        status.journalMode = identity.journalMode
        // SQLite removes the log when the database is closed.
        if identity.journalMode == "wal", let path = identity.path, !status.isClosed {
            // Opening and closing the file would release the process's locks on the database.
            let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
            status.wal = (size as? NSNumber).map { WALStatus(bytes: $0.uint64Value) }
        }
        return status
    }

    /// Returns a stream of new events.
    ///
    /// The stream reports slow accesses through the methods of this class, encountered locks, the
    /// creation and closing of snapshots, closed connections, and calls to ``interrupt()``. Each
    /// call returns a separate stream, which ends when the database is deallocated.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        ledger.listeners.events(slowerThan: limit, buffering: capacity)
    }

    /// Interrupts the running statements, like the method of ``database``.
    public func interrupt() {
        ledger.didRequestInterrupt(label: identity.label)
        database.interrupt()
    }

    /// Runs a passive checkpoint when the writer is free, without blocking the thread.
    ///
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: `DatabaseError`.
    public func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int) {
        try await database.writeWithoutTransaction { db in
            let result = try db.checkpoint(.passive)
            return (result.walFrameCount, result.checkpointedFrameCount)
        }
    }
}
#endif
