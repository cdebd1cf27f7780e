import CSQLite
import Foundation
import SQLiteEngine
import Scenarios
import Telemetry
import WorkloadEngine

/// Bare libsqlite3 with one connection per thread.
///
/// The performance of this target is an upper bound for libraries that use libsqlite3.
///
/// Accesses use the same transactions as the libraries: deferred for reads, and immediate for
/// writes unless the arm sets a different `begin`. No queue serializes writers, so writers wait for
/// the lock on the file. The target does not report a status.
final class RawTarget: ProfiledTarget {
    private let path: String
    private let setup: [String]
    private let isWAL: Bool
    private let begin: String
    private let busyTimeout: Duration
    private let busyRetry: BusyRetry?
    private let replacesBusyHandler: Bool
    private let writer = WriterSlot()
    private let statementGuard: StatementGuard?
    private let key: pthread_key_t
    private let connections = Lock<[RawConnection]>([])

    init(_ arm: Arm, at path: String) throws {
        self.path = path
        isWAL = arm.isWAL
        begin = (arm.begin ?? .immediate).sql
        busyTimeout = arm.busyTimeout ?? RawConnection.busyTimeout
        busyRetry = arm.busyRetry
        replacesBusyHandler = arm.replacesBusyHandler
        statementGuard = arm.isGuarded ? StatementGuard(database: path) : nil
        var setup = ["PRAGMA foreign_keys = ON"]
        // Only WAL mode persists in the file (https://sqlite.org/wal.html). For any other mode,
        // each connection must set the mode.
        if arm.isWAL {
            setup.append("PRAGMA journal_mode = WAL")
        } else if let journal = arm.journal {
            setup.append("PRAGMA journal_mode = \(journal.rawValue)")
        }
        let synchronous = arm.synchronous ?? (arm.isWAL ? "normal" : nil)
        if let synchronous { setup.append("PRAGMA synchronous = \(synchronous)") }
        setup += arm.pragmas.map { "PRAGMA \($0.name) = \($0.value)" }
        self.setup = setup
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        self.key = key
        _ = try connection()
    }

    deinit { pthread_key_delete(key) }

    /// Returns the connection of the calling thread, opening it if necessary.
    private func connection() throws -> RawConnection {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<RawConnection>.fromOpaque(pointer).takeUnretainedValue()
        }
        let connection = try open()
        // `connections` retains the connection until the target is closed.
        connections.withLock { $0.append(connection) }
        pthread_setspecific(key, Unmanaged.passUnretained(connection).toOpaque())
        return connection
    }

    private func open() throws -> RawConnection {
        let connection = try RawConnection(
            path: path,
            busyTimeout: busyTimeout,
            retry: busyRetry,
            measuresWaits: !replacesBusyHandler,
            writer: writer
        )
        for sql in setup { _ = try connection.rows(sql, []) }
        if let statementGuard { connection.install(statementGuard) }
        return connection
    }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot || isWAL }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let connection = try connection()
        connection.serve(client)
        switch access {
        case .read: try connection.transaction("BEGIN DEFERRED", body)
        case .write: try connection.transaction(begin, body)
        case .writeWithoutTransaction: try body(connection)
        case .snapshot:
            let snapshot = try makeSnapshot(as: client)
            defer { snapshot.release() }
            try snapshot.read(body)
        }
    }

    func has(_ capability: WorkloadAbility) -> Bool {
        switch capability {
        case .writeAheadLog: isWAL
        case .backup, .sharedFile: true
        case .tasks, .concurrentReads: false
        }
    }

    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws {
        try connection().backup(to: path, pagesPerStep: CInt(clamping: pagesPerStep), progress)
    }

    func check(_ sql: String) throws { try connection().check(sql) }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        try RawSnapshot(open())
    }

    func interrupt() {
        connections.withLock { connections in
            for connection in connections { connection.interrupt() }
        }
    }

    func failure(of error: any Error) -> WorkloadFailure {
        guard let error = error as? RawError else { return .error("\(type(of: error))") }
        return WorkloadFailure(error.code)
    }

    func busyFailure(of error: any Error) -> BusyFailure? {
        guard let error = error as? RawError, error.code.primaryResultCode == .SQLITE_BUSY else {
            return nil
        }
        return BusyFailure(
            statement: error.sql,
            wait: error.lockWait,
            holder: error.writer?.client
        )
    }

    var writingClient: String? {
        writer.writer(otherThan: 0).flatMap { $0.isHolding ? $0.client : nil }
    }

    func status() -> DatabaseStatus? { nil }

    func refusals() -> [String: UInt64] { statementGuard?.refusals ?? [:] }

    func environment() throws -> [String: String] {
        var facts = ["library": "libsqlite3"]
        try connection().addFacts(to: &facts)
        return facts
    }

    /// Closes the connections of all threads.
    ///
    /// No thread may use the target afterward.
    func close() {
        let all = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in all { connection.close() }
    }
}

/// A snapshot that uses a separate connection with an open read transaction.
final class RawSnapshot: WorkloadSnapshot {
    private let connection: RawConnection

    init(_ connection: RawConnection) throws {
        self.connection = connection
        try connection.run("BEGIN DEFERRED", [])
        // Read once, because the first read determines the snapshot's state, not `BEGIN DEFERRED`.
        try connection.run("SELECT rootpage FROM sqlite_master LIMIT 1", [])
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws { try body(connection) }

    func release() { connection.close() }
}
