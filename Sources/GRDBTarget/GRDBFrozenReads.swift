#if GRDB
import GRDB
import Telemetry

/// Reads that all observe the state at the time of the first read.
final class GRDBFrozenReads: Sendable {
    /// The snapshot's pool.
    let pool: DatabasePool
    private let snapshot = Lock<DatabaseSnapshot?>(nil)

    init(of pool: DatabasePool) {
        self.pool = pool
    }

    /// Returns the snapshot, which is created on first use.
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
        // Releasing the last reference ends the transaction, then the connection.
        snapshot.withLock { $0 = nil }
        try pool.close()
    }
}
#endif
