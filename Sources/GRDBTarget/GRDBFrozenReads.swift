#if GRDB
import GRDB
import Telemetry

/// An object that reads from a pool snapshot, which the first read creates.
final class GRDBFrozenReads: Sendable {
    let pool: DatabasePool
    private let snapshot = Lock<DatabaseSnapshot?>(nil)

    init(of pool: DatabasePool) {
        self.pool = pool
    }

    /// Returns the snapshot, which the first call creates.
    func openSnapshot() throws -> DatabaseSnapshot {
        try snapshot.withLock { snapshot in
            if let snapshot { return snapshot }
            let newSnapshot = try pool.makeSnapshot()
            snapshot = newSnapshot
            return newSnapshot
        }
    }

    func interrupt() {
        pool.interrupt()
        snapshot.withLock { $0 }?.interrupt()
    }

    func close() throws {
        // Releasing the last reference ends the transaction and closes the connection.
        snapshot.withLock { $0 = nil }
        try pool.close()
    }
}
#endif
