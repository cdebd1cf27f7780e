#if GRDB
import GRDB
import Telemetry

/// Reads that all see the state that was there when the first of them came.
final class GRDBFrozenReads: Sendable {
    /// The pool that the snapshot was made of.
    let pool: DatabasePool
    private let snapshot = Lock<DatabaseSnapshot?>(nil)

    init(of pool: DatabasePool) {
        self.pool = pool
    }

    /// The snapshot, made when it is first asked for.
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
        // Its last reference ends its transaction, then its connection.
        snapshot.withLock { $0 = nil }
        try pool.close()
    }
}
#endif
