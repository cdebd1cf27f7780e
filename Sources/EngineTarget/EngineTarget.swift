import CSQLite
import SQLiteEngine
import Telemetry
import WorkloadEngine

/// A `DatabaseQueue` or a `DatabasePool` under a scenario's load.
final class EngineTarget: WorkloadTarget {
    /// What serves the accesses.
    enum Server: Sendable {
        case queue(DatabaseQueue)
        case pool(DatabasePool)
    }

    private let server: Server

    init(_ server: Server) {
        self.server = server
    }

    func supports(_ access: WorkloadAccess) -> Bool {
        switch (server, access) {
        case (.queue, .snapshot): false
        case (_, .read), (_, .write), (_, .writeWithoutTransaction), (.pool, .snapshot): true
        }
    }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let label = client.accessLabel
        let run: (Database) throws -> Void = { try body(EngineSession(database: $0)) }
        switch (server, access) {
        case (.pool(let pool), .read): try pool.read(as: label, run)
        case (.pool(let pool), .write): try pool.write(as: label, run)
        case (.pool(let pool), .writeWithoutTransaction):
            try pool.writeWithoutTransaction(as: label, run)
        case (.pool, .snapshot):
            let snapshot = try makeSnapshot(as: client)
            defer { snapshot.release() }
            try snapshot.read(body)
        case (.queue(let queue), .read): try queue.read(as: label, run)
        case (.queue(let queue), .write): try queue.write(as: label, run)
        case (.queue(let queue), .writeWithoutTransaction):
            try queue.writeWithoutTransaction(as: label, run)
        case (.queue, .snapshot): throw UnsupportedAccess.snapshotOfQueue
        }
    }

    func check(_ sql: String) throws {
        let label = WorkloadClientName("check").accessLabel
        let prepare: (Database) throws -> Void = { _ = try $0.makeStatement(sql: sql) }
        switch server {
        case .queue(let queue): try queue.writeWithoutTransaction(as: label, prepare)
        case .pool(let pool): try pool.writeWithoutTransaction(as: label, prepare)
        }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        guard case .pool(let pool) = server else { throw UnsupportedAccess.snapshotOfQueue }
        let label = client.accessLabel
        return EngineSnapshot(try pool.makeSnapshot(as: label), label: label)
    }

    func interrupt() {
        switch server {
        case .queue(let queue): queue.interrupt()
        case .pool(let pool): pool.interrupt()
        }
    }

    func interrupt(connection label: String) -> Bool {
        switch server {
        case .queue(let queue): queue.interrupt(connection: label)
        case .pool(let pool): pool.interrupt(connection: label)
        }
    }

    func failure(of error: any Error) -> WorkloadFailure {
        guard let error = error as? DatabaseError else { return .error("\(type(of: error))") }
        if error.isInterruptionError { return .interrupted }
        let code = error.extendedResultCode
        let name = code.name ?? "SQLITE_\(code.rawValue)"
        let isBusy = [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode)
        return isBusy ? .busy(name) : .error(name)
    }

    func status() -> DatabaseStatus? {
        switch server {
        case .queue(let queue): queue.status()
        case .pool(let pool): pool.status()
        }
    }

    func restartTimes() {
        switch server {
        case .queue(let queue): queue.restartTimes()
        case .pool(let pool): pool.restartTimes()
        }
    }

    /// The library, SQLite's version and the pragmas in force on the connection that writes.
    func environment() throws -> [String: String] {
        var facts = ["library": "SQLiteEngine"]
        facts["sqlite_version"] = String(cString: sqlite3_libversion())
        try perform(.writeWithoutTransaction, as: WorkloadClientName("environment")) { session in
            for pragma in Self.reportedPragmas {
                guard let value = try session.rows("PRAGMA \(pragma)", []).first?.first else {
                    continue
                }
                facts[pragma] = value.plainText
            }
        }
        if let number = facts["synchronous"].flatMap(Int.init),
            Self.synchronousNames.indices.contains(number)
        {
            facts["synchronous"] = Self.synchronousNames[number]
        }
        return facts
    }

    func close() throws {
        switch server {
        case .queue(let queue): try queue.close()
        case .pool(let pool): try pool.close()
        }
    }

    private static let reportedPragmas = [
        "journal_mode", "synchronous", "page_size", "cache_size", "mmap_size", "temp_store",
        "foreign_keys", "wal_autocheckpoint",
    ]

    /// By the number that `PRAGMA synchronous` answers (https://sqlite.org/pragma.html).
    private static let synchronousNames = ["off", "normal", "full", "extra"]
}

/// An access that the server does not have.
enum UnsupportedAccess: Error, CustomStringConvertible {
    case snapshotOfQueue
    case memory

    var description: String {
        switch self {
        case .snapshotOfQueue: "a DatabaseQueue makes no snapshots: use an arm of type pool"
        case .memory: "databases in memory are not driven here"
        }
    }
}

extension WorkloadClientName {
    /// The name as the engine's probes show it; looked up once.
    var accessLabel: AccessLabel {
        AccessLabel(index: memo.number(orMake: { AccessLabel(name).index }))
    }
}
