import SQLiteEngine
import Telemetry

/// Reads from a pool snapshot, which the first read creates.
final class FrozenReads: Sendable {
    private enum Reader: Sendable {
        case snapshot(DatabaseSnapshot)
        case snapshotPool(DatabaseSnapshotPool)
    }

    let pool: DatabasePool
    private let hasPool: Bool
    private let reader = Lock<Reader?>(nil)

    /// Creates reads from a snapshot of `pool`.
    ///
    /// The snapshot has one connection or, if `hasPool` is `true`, as many connections as the pool.
    init(of pool: DatabasePool, inPool hasPool: Bool) {
        self.pool = pool
        self.hasPool = hasPool
    }

    func read(as label: AccessLabel, _ value: (Database) throws -> Void) throws {
        switch try opened(as: label) {
        case .snapshot(let snapshot): try snapshot.read(as: label, value)
        case .snapshotPool(let snapshot): try snapshot.read(as: label, value)
        }
    }

    func readAsync(
        as label: AccessLabel,
        _ value: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        switch try opened(as: label) {
        case .snapshot(let snapshot): try await snapshot.read(as: label, value)
        case .snapshotPool(let snapshot): try await snapshot.read(as: label, value)
        }
    }

    private func opened(as label: AccessLabel) throws -> Reader {
        try reader.withLock { reader in
            if let reader { return reader }
            let newReader: Reader =
                hasPool
                ? .snapshotPool(try pool.makeSnapshotPool())
                : .snapshot(try pool.makeSnapshot(as: label))
            reader = newReader
            return newReader
        }
    }

    func interrupt() {
        pool.interrupt()
        switch reader.withLock({ $0 }) {
        case .snapshot(let snapshot)?: snapshot.interrupt()
        case .snapshotPool(let snapshot)?: snapshot.interrupt()
        case nil: break
        }
    }

    func close() throws {
        switch reader.withLock({ $0 }) {
        case .snapshot(let snapshot)?: try snapshot.close()
        case .snapshotPool(let snapshot)?: try snapshot.close()
        case nil: break
        }
        try pool.close()
    }
}
