import CSQLite
import Foundation
import SQLiteEngine
import Scenarios
import Telemetry
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
        guard
            case .text(let name) = try connection.rows("PRAGMA journal_mode", []).first?
                .first
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

/// A type that copies a database with SQLite's backup API (<https://sqlite.org/backup.html>), while
/// other processes may be using it.
///
/// In WAL mode, one read transaction covers the entire copy. The transaction does not block
/// writers, and the copy never restarts. In a rollback mode, a read lock blocks all writers, so the
/// copy releases the lock between steps. If a different process commits between two steps, the copy
/// restarts. After ``maximumRestarts`` restarts, one step copies all remaining pages.
struct DatabaseCopier {
    /// The number of pages in each step: 4 MiB with 4 KiB pages.
    var pagesPerStep: CInt = 1024
    /// The maximum number of restarts, after which the copy holds its lock until the end.
    var maximumRestarts = 3
    /// The pause between two steps in a rollback mode.
    ///
    /// A waiting writer can acquire the lock during the pause.
    private static let pause = Duration.milliseconds(5)
    /// The maximum time that a step waits for another process's lock.
    private static let lockTimeout = Duration.seconds(10)
    /// A closure that tests run between two steps.
    ///
    /// In a rollback mode, the copy holds no lock at that time.
    var betweenSteps: () -> Void = {}

    /// Copies a database to a new file.
    ///
    /// - Parameters:
    ///   - source: The database's path.
    ///   - path: The path of the copy, which uses a rollback journal.
    ///   - progress: A function that receives the copied fraction, from 0 to 1. The fraction never
    ///     decreases.
    /// - Throws: ``RawError`` with the path, ``FreeSpace/Shortage``, or an error from `progress`.
    func copy(
        _ source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let name = URL(fileURLWithPath: source).lastPathComponent
        let purpose = "a copy of '\(name)'"
        let size = FreeSpace.size(of: source) + FreeSpace.size(of: source + "-wal")
        try FreeSpace.check(size, in: folder, for: purpose)
        let original = try RawConnection(
            path: source,
            busyTimeout: Self.lockTimeout,
            isReadOnly: true
        )
        defer { original.close() }
        let copy = try RawConnection(path: path, busyTimeout: Self.lockTimeout)
        defer { copy.close() }
        do {
            let mode = try original.rows("PRAGMA journal_mode", []).first?.first
            let isWAL = mode == .text("wal")
            if isWAL {
                try original.run("BEGIN DEFERRED", [])
                try original.run("SELECT rootpage FROM sqlite_master LIMIT 1", [])
            }
            try copyPages(original, copy: copy, pauses: !isWAL, progress)
            // The copy has the original's journal mode. The arm selects a mode later.
            _ = try copy.rows("PRAGMA journal_mode = DELETE", [])
        } catch let error as RawError where error.isFull {
            let free = FreeSpace.bytes(in: folder) ?? 0
            throw FreeSpace.Shortage(folder: folder, purpose: purpose, required: size, free: free)
        }
    }

    private func copyPages(
        _ original: RawConnection,
        copy: RawConnection,
        pauses: Bool,
        _ progress: (Double) throws -> Void
    ) throws {
        var maximum = 0.0
        var last = 0.0
        var restarts = 0
        try original.backup(to: copy) {
            restarts >= maximumRestarts ? -1 : pagesPerStep
        } afterStep: { share in
            // The copied fraction increases with each step unless the copy restarts.
            if last > 0, share <= last { restarts += 1 }
            last = share
            maximum = max(maximum, share)
            try progress(maximum)
            guard share < 1 else { return }
            betweenSteps()
            if pauses { Thread.sleep(forTimeInterval: Self.pause / .seconds(1)) }
        }
    }
}

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

extension WorkloadSession {
    /// Adds SQLite's version and the values of pragmas to the environment of a result.
    package func addFacts(to facts: inout [String: String]) throws {
        facts["sqlite_version"] = String(cString: sqlite3_libversion())
        for pragma in reportedPragmas {
            guard let value = try rows("PRAGMA \(pragma)", []).first?.first else {
                continue
            }
            facts[pragma] = value.plainText
        }
        if let number = facts["synchronous"].flatMap(Int.init),
            synchronousNames.indices.contains(number)
        {
            facts["synchronous"] = synchronousNames[number]
        }
    }
}

private let reportedPragmas = [
    "journal_mode", "synchronous", "page_size", "cache_size", "mmap_size", "temp_store",
    "foreign_keys", "wal_autocheckpoint",
]

/// The names of the numbers that `PRAGMA synchronous` returns (https://sqlite.org/pragma.html).
private let synchronousNames = ["off", "normal", "full", "extra"]

extension EngineTargetFactory {
    /// Copies a database that other processes may be using.
    ///
    /// - Throws: An error that names the file or the folder, or an error that `progress` throws.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try DatabaseCopier().copy(source, to: path, progress: progress)
    }
}

extension Arm {
    /// The statements that each connection of a queue or pool runs first.
    ///
    /// The statements do not select WAL mode, because the libraries do so.
    package var openingPragmas: [String] {
        var statements = pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        // If the arm does not set a journal mode, use SQLite's default mode for a queue, regardless
        // of the file's current mode.
        let mode = journal ?? (kind == .queue ? .delete : nil)
        if kind == .queue || kind == .memory, let mode, mode != .wal {
            statements.append("PRAGMA journal_mode = \(mode.rawValue)")
        }
        return statements
    }

    /// Sets `PRAGMA synchronous` after `target` is open.
    ///
    /// The setting affects only the writing connection.
    ///
    /// - Throws: The library's error.
    package func setSynchronous(of target: some WorkloadTarget) throws {
        guard let synchronous else { return }
        // Set the value after the switch to WAL mode, which sets NORMAL.
        try target.perform(.writeWithoutTransaction, as: WorkloadClientName("setup")) {
            _ = try $0.rows("PRAGMA synchronous = \(synchronous)", [])
        }
    }
}
