#if GRDB
import EngineTarget
import Foundation
import GRDB
import PoolgaugeGRDB
import WorkloadEngine

/// A factory that opens the databases of a scenario's arms with GRDB.
struct GRDBTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> GRDBTarget {
        let waits = GRDBBusyWaits(arm)
        // The trace function would slow down each statement, which no other arm does.
        let ledger = AccessLedger(tracesStatements: false)
        let server = try server(of: arm, at: path, waits, ledger)
        let target = GRDBTarget(server, arm: arm, path: path, waits: waits, ledger: ledger)
        try arm.setSynchronous(of: target)
        return target
    }

    private func server(
        of arm: Arm,
        at path: String,
        _ waits: GRDBBusyWaits,
        _ ledger: AccessLedger
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
#endif
