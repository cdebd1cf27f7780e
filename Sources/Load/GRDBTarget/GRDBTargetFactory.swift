#if GRDB
import EngineTarget
import Foundation
import GRDB
import PoolgaugeGRDB
import Scenarios
import Telemetry
import WorkloadEngine

/// A factory that opens the databases of a scenario's arms with GRDB.
struct GRDBTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> GRDBTarget {
        let waits = GRDBBusyWaits(arm)
        // The trace function would slow down each statement, which no other arm does.
        let ledger = AccessLedger(tracesStatements: false)
        let server = try server(of: arm, at: path, waits, ledger: ledger)
        let target = GRDBTarget(server, arm: arm, path: path, waits: waits, ledger: ledger)
        try arm.setSynchronous(of: target)
        return target
    }

    private func server(
        of arm: Arm,
        at path: String,
        _ waits: GRDBBusyWaits,
        ledger: AccessLedger
    ) throws -> GRDBTarget.Server {
        var configuration = Configuration()
        configuration.label = arm.name
        if let readers = arm.readers { configuration.maximumReaderCount = readers }
        configuration.busyMode = .callback { waits.handle(tries: $0) }
        let pragmas = arm.openingPragmas
        if !pragmas.isEmpty {
            configuration.prepareDatabase { db in
                for pragma in pragmas { try db.execute(sql: pragma) }
            }
        }
        if arm.isWAL, arm.kind == .queue { configuration.journalMode = .wal }
        configuration = ledger.observing(configuration)
        switch arm.kind {
        case .queue:
            return .queue(try DatabaseQueue(path: path, configuration: configuration))
        case .memory:
            return .queue(try memoryQueue(configuration, copying: path))
        case .pool:
            return .pool(try DatabasePool(path: path, configuration: configuration))
        case .snapshot:
            let pool = try DatabasePool(path: path, configuration: configuration)
            return .frozen(GRDBFrozenReads(of: pool))
        case .snapshotPool:
            // Snapshot pools require `sqlite3_snapshot_*`, which GRDB does not use on Linux.
            throw RunError(
                .scenario,
                "'library: grdb' does not support 'type: snapshot-pool'; use 'type: snapshot'"
            )
        }
    }

    private func memoryQueue(
        _ configuration: Configuration,
        copying path: String
    ) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        // A missing file means an empty database, as for other arms.
        guard FileManager.default.fileExists(atPath: path) else { return queue }
        var readOnly = Configuration()
        readOnly.readonly = true
        let source = try DatabaseQueue(path: path, configuration: readOnly)
        do {
            try source.backup(to: queue)
        } catch {
            try? source.close()
            throw error
        }
        try source.close()
        return queue
    }
}

/// The busy handler of GRDB's writing connection, and the waits after which the handler gave up.
///
/// GRDB's errors do not contain the wait. Exactly one access fails each time the handler gives up,
/// so errors and waits are matched in order.
final class GRDBBusyWaits: Sendable {
    private let wait: BusyWait
    private let waits = Lock<[BusyFailure.Handler]>([])
    /// The maximum number of waits that are not yet matched with an error.
    private static let maximumWaitCount = 64

    /// Creates a handler.
    ///
    /// Without a timeout, the handler gives up immediately, as GRDB does by default.
    init(_ arm: Arm) {
        wait = BusyWait(timeout: arm.busyTimeout ?? .zero, retry: arm.busyRetry)
    }

    func handle(tries: Int) -> Bool {
        if wait.handle(tries: tries) { return true }
        let outcome = wait.takeHandler()
        waits.withLock { waits in
            if waits.count == Self.maximumWaitCount { waits.removeFirst() }
            waits.append(outcome)
        }
        return false
    }

    /// Removes and returns the handler's role in an access that failed with plain `SQLITE_BUSY`.
    func take() -> BusyFailure.Handler {
        waits.withLock { $0.isEmpty ? .skipped : $0.removeFirst() }
    }
}

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
