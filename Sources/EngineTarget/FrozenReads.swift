import SQLiteEngine
import Telemetry

/// An object that reads from a snapshot of a pool, which the first read creates.
final class FrozenReads: Sendable {
    private enum Reader: Sendable {
        case snapshot(DatabaseSnapshot)
        case snapshotPool(DatabaseSnapshotPool)
    }

    let pool: DatabasePool
    private let usesSnapshotPool: Bool
    private let reader = Lock<Reader?>(nil)

    /// Creates an object that reads from a snapshot of `pool`.
    ///
    /// The snapshot has one connection or, if `usesSnapshotPool` is `true`, a pool of connections.
    init(of pool: DatabasePool, usesSnapshotPool: Bool) {
        self.pool = pool
        self.usesSnapshotPool = usesSnapshotPool
    }

    func read(as label: AccessLabel, _ value: (Database) throws -> Void) throws {
        switch try openReader(as: label) {
        case .snapshot(let snapshot): try snapshot.read(as: label, value)
        case .snapshotPool(let snapshot): try snapshot.read(as: label, value)
        }
    }

    func readAsync(
        as label: AccessLabel,
        _ value: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        switch try openReader(as: label) {
        case .snapshot(let snapshot): try await snapshot.read(as: label, value)
        case .snapshotPool(let snapshot): try await snapshot.read(as: label, value)
        }
    }

    /// Returns the reader, and creates it if necessary.
    private func openReader(as label: AccessLabel) throws -> Reader {
        try reader.withLock { reader in
            if let reader { return reader }
            let newReader: Reader =
                usesSnapshotPool
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
