#if GRDB
import GRDB
import Telemetry

/// Reads that all return the state at the time of the first read.
final class GRDBFrozenReads: Sendable {
    /// The pool of the snapshot.
    let pool: DatabasePool
    private let snapshot = Lock<DatabaseSnapshot?>(nil)

    init(of pool: DatabasePool) {
        self.pool = pool
    }

    /// Returns the snapshot, creating it if necessary.
    func opened() throws -> DatabaseSnapshot {
        try snapshot.withLock { snapshot in
            if let snapshot { return snapshot }
            let made = try pool.makeSnapshot()
            snapshot = made
            return made
        }
    }

    func interrupt() {
        pool.interrupt()
        snapshot.withLock { $0 }?.interrupt()
    }

    func close() throws {
        // Releasing the last reference ends the transaction and then the connection.
        snapshot.withLock { $0 = nil }
        try pool.close()
    }
}
#endif
