import SQLiteEngine
import WorkloadEngine

/// Opens this package's engine for the arms of a scenario.
public struct EngineTargetFactory: WorkloadTargetFactory {
    /// Creates a factory.
    public init() {}

    /// Opens the database at `path` as the arm says; creates the file when there is none.
    ///
    /// - Throws: A `DatabaseError` that names the path, or the pragma that SQLite refused.
    public func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        var configuration = Configuration()
        configuration.label = arm.name
        if let readers = arm.readers { configuration.maximumReaderCount = readers }
        let pragmas = arm.pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        if !pragmas.isEmpty {
            configuration.prepareDatabase { db in
                for pragma in pragmas { try db.execute(sql: pragma) }
            }
        }
        let target: EngineTarget
        switch arm.kind {
        case .queue:
            if arm.isWAL { configuration.journalMode = .wal }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            target = EngineTarget(.queue(queue))
        case .memory:
            throw UnsupportedAccess.memory
        case .pool:
            let pool = try DatabasePool(path: path, configuration: configuration)
            target = EngineTarget(.pool(pool))
        }
        if let synchronous = arm.synchronous {
            // After the switch to WAL, which sets NORMAL. It concerns the connection that writes.
            try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
                _ = try $0.rows("PRAGMA synchronous = \(synchronous)", [])
            }
        }
        return target
    }
}
