import Foundation
import SQLiteEngine
import WorkloadEngine

/// A factory that opens databases for a scenario's arms with this package's engine or with
/// libsqlite3.
public struct EngineTargetFactory: WorkloadTargetFactory {
    /// Creates a factory.
    public init() {}

    /// Opens the database at `path` with the arm's settings, and creates a missing file.
    ///
    /// - Throws: The library's error, which names the path or the rejected pragma.
    public func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        switch arm.library {
        case .engine: break
        case .raw: return try RawTarget(arm, at: path)
        case .grdb: throw UnsupportedAccess.library(arm.library.rawValue)
        }
        let statementGuard = arm.isGuarded ? StatementGuard(database: path) : nil
        let target = try EngineTarget(
            server(of: arm, at: path, statementGuard),
            isWAL: arm.isWAL,
            begin: arm.begin,
            statementGuard: statementGuard,
            replacesBusyHandler: arm.replacesBusyHandler
        )
        try arm.setSynchronous(of: target)
        return target
    }

    /// Returns a database's journal mode, or `nil` if the file does not exist.
    ///
    /// - Throws: A ``RawError``, for example if another process has locked the database.
    public func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let connection = try RawConnection(path: path, busyTimeout: .zero, isReadOnly: true)
        defer { connection.close() }
        // Read first, because SQLite reports the default mode before the first read.
        try connection.run("PRAGMA schema_version", [])
        guard case .text(let name) = try connection.rows("PRAGMA journal_mode", []).first?.first
        else { return nil }
        return Arm.Journal(rawValue: name)
    }

    /// Classifies an error from the engine or libsqlite3.
    public func failure(of error: any Error) -> WorkloadFailure {
        switch error {
        case let error as DatabaseError: WorkloadFailure(error.extendedResultCode)
        case let error as RawError: WorkloadFailure(error.code)
        default: .error("\(type(of: error))")
        }
    }

    private func server(
        of arm: Arm,
        at path: String,
        _ statementGuard: StatementGuard?
    ) throws -> EngineTarget.Server {
        var configuration = Configuration()
        configuration.label = arm.name
        if let readers = arm.readers { configuration.maximumReaderCount = readers }
        if let mode = arm.busyMode { configuration.busyMode = mode }
        let pragmas = arm.openingPragmas
        if !pragmas.isEmpty {
            configuration.prepareDatabase { db in
                for pragma in pragmas { try db.execute(sql: pragma) }
            }
        }
        if let statementGuard {
            configuration.prepareDatabase { statementGuard.install(on: $0.handle) }
        }
        switch arm.kind {
        case .queue:
            if arm.isWAL { configuration.journalMode = .wal }
            return .queue(try DatabaseQueue(path: path, configuration: configuration))
        case .memory:
            return .queue(try memoryQueue(configuration, copying: path))
        case .pool:
            return .pool(try DatabasePool(path: path, configuration: configuration))
        case .snapshot, .snapshotPool:
            let pool = try DatabasePool(path: path, configuration: configuration)
            return .frozen(FrozenReads(of: pool, usesSnapshotPool: arm.kind == .snapshotPool))
        }
    }

    private func memoryQueue(
        _ configuration: Configuration,
        copying path: String
    ) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(configuration: configuration)
        // A missing file means an empty database, as for other arms.
        guard FileManager.default.fileExists(atPath: path) else { return queue }
        var readOnlyConfiguration = Configuration()
        readOnlyConfiguration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: readOnlyConfiguration)
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

extension Arm {
    /// The arm's busy mode, or `nil` for the engine's default.
    fileprivate var busyMode: Database.BusyMode? {
        guard let timeout = busyTimeout else { return nil }
        guard timeout > .zero else { return .immediateError }
        guard case .fixed? = busyRetry else { return .timeout(timeout / .seconds(1)) }
        let wait = BusyWait(timeout: timeout, retry: busyRetry)
        return .callback { wait.handle(tries: $0) }
    }
}
