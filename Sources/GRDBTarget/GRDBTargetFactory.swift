#if GRDB
import Foundation
import GRDB
import WorkloadEngine

/// Opens GRDB's connections for the arms of a scenario.
struct GRDBTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> GRDBTarget {
        let target = try GRDBTarget(server(of: arm, at: path), arm: arm, path: path)
        if let synchronous = arm.synchronous {
            // After the switch to WAL, which sets NORMAL. It concerns the connection that writes.
            try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
                _ = try $0.rows("PRAGMA synchronous = \(synchronous)", [])
            }
        }
        return target
    }

    private func server(of arm: Arm, at path: String) throws -> GRDBTarget.Server {
        var configuration = Configuration()
        configuration.label = arm.name
        if let readers = arm.readers { configuration.maximumReaderCount = readers }
        var pragmas = arm.pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        if arm.kind == .queue || arm.kind == .memory, let journal = arm.journal, journal != .wal {
            pragmas.append("PRAGMA journal_mode = \(journal.rawValue)")
        }
        if !pragmas.isEmpty {
            configuration.prepareDatabase { [pragmas] db in
                for pragma in pragmas { try db.execute(sql: pragma) }
            }
        }
        switch arm.kind {
        case .queue:
            if arm.isWAL { configuration.journalMode = .wal }
            return .queue(try DatabaseQueue(path: path, configuration: configuration))
        case .memory:
            return .queue(try memoryQueue(configuration, copying: path))
        case .pool:
            return .pool(try DatabasePool(path: path, configuration: configuration))
        case .snapshot:
            let pool = try DatabasePool(path: path, configuration: configuration)
            return .frozen(GRDBFrozenReads(of: pool))
        case .snapshotPool:
            // It needs sqlite3_snapshot_*, which GRDB leaves out on Linux.
            throw RunError(
                .scenario,
                "GRDB has no snapshot pool everywhere: with library: grdb write type: snapshot"
            )
        }
    }

    /// A queue on a copy of the file in memory.
    private func memoryQueue(
        _ configuration: Configuration,
        copying path: String
    ) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        // Nothing to copy is an empty database, as with any other arm.
        guard FileManager.default.fileExists(atPath: path) else { return queue }
        var reading = Configuration()
        reading.readonly = true
        let source = try DatabaseQueue(path: path, configuration: reading)
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
