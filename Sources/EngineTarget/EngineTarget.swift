import SQLiteEngine
import Telemetry
import WorkloadEngine

/// A queue, a pool, or a pool's snapshot under load.
final class EngineTarget: WorkloadTarget {
    enum Server: Sendable {
        case queue(DatabaseQueue)
        case pool(DatabasePool)
        case frozen(FrozenReads)
    }

    let server: Server
    private let isWAL: Bool
    /// The kind of write transactions, or `nil` for the library's default.
    private let begin: Database.TransactionKind?
    private let statementGuard: StatementGuard?
    private let replacesBusyHandler: Bool

    init(
        _ server: Server,
        isWAL: Bool = true,
        begin: Arm.Begin? = nil,
        statementGuard: StatementGuard? = nil,
        replacesBusyHandler: Bool = false
    ) {
        self.server = server
        self.isWAL = isWAL
        self.begin = begin.flatMap(\.transactionKind)
        self.statementGuard = statementGuard
        self.replacesBusyHandler = replacesBusyHandler
    }

    private var kind: ServerKind {
        switch server {
        case .queue(let queue): .queue(isWAL: isWAL, isInMemory: queue.path == ":memory:")
        case .pool: .pool
        case .frozen: .snapshot
        }
    }

    /// The queue or pool.
    ///
    /// In a snapshot arm, only the run itself writes, for example for the arm's setup. Accesses
    /// under load use the concrete type, because an existential would slow down the accesses.
    var writer: any DatabaseWriter {
        switch server {
        case .queue(let queue): queue
        case .pool(let pool): pool
        case .frozen(let frozen): frozen.pool
        }
    }

    func supports(_ access: WorkloadAccess) -> Bool { kind.supports(access) }

    func has(_ capability: WorkloadAbility) -> Bool { kind.has(capability) }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let label = client.accessLabel
        func run(_ database: Database) throws {
            try body(EngineSession(database: database, target: self))
        }
        switch (server, access) {
        case (.pool(let pool), .read): try pool.read(as: label, run)
        case (.pool(let pool), .write):
            guard let begin else { return try pool.write(as: label, run) }
            try pool.writeWithoutTransaction(as: label) { try $0.inTransaction(begin, run) }
        case (.pool(let pool), .writeWithoutTransaction):
            try pool.writeWithoutTransaction(as: label, run)
        case (.pool, .snapshot):
            let snapshot = try makeSnapshot(as: client)
            defer { snapshot.release() }
            try snapshot.read(body)
        case (.queue(let queue), .read): try queue.read(as: label, run)
        case (.queue(let queue), .write):
            guard let begin else { return try queue.write(as: label, run) }
            try queue.writeWithoutTransaction(as: label) { try $0.inTransaction(begin, run) }
        case (.queue(let queue), .writeWithoutTransaction):
            try queue.writeWithoutTransaction(as: label, run)
        case (.queue, .snapshot): throw UnsupportedAccess.snapshotOfQueue
        case (.frozen(let frozen), .read): try frozen.read(as: label, run)
        // The run itself makes these accesses, for example for an arm's setup.
        case (.frozen(let frozen), .write): try frozen.pool.write(as: label, run)
        case (.frozen(let frozen), .writeWithoutTransaction):
            try frozen.pool.writeWithoutTransaction(as: label, run)
        case (.frozen, .snapshot): throw UnsupportedAccess.snapshotOfQueue
        }
    }

    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws {
        let label = client.accessLabel
        let run: @Sendable (Database) throws -> Void = { [self] in
            try body(EngineSession(database: $0, target: self))
        }
        let begin = begin
        switch (server, access) {
        case (.pool(let pool), .read): try await pool.read(as: label, run)
        case (.pool(let pool), .write):
            guard let begin else { return try await pool.write(as: label, run) }
            try await pool.writeWithoutTransaction(at: AccessSite(label)) {
                try $0.inTransaction(begin, run)
            }
        case (.queue(let queue), .read): try await queue.read(as: label, run)
        case (.queue(let queue), .write):
            guard let begin else { return try await queue.write(as: label, run) }
            try await queue.writeWithoutTransaction(at: AccessSite(label)) {
                try $0.inTransaction(begin, run)
            }
        case (.frozen(let frozen), .read): try await frozen.readAsync(as: label, run)
        case (_, .writeWithoutTransaction), (.frozen, .write), (_, .snapshot):
            throw UnsupportedAccess.awaited(access)
        }
    }

    func check(_ sql: String) throws {
        let label = WorkloadClientName("check").accessLabel
        try writer.writeWithoutTransaction(as: label) { _ = try $0.makeStatement(sql: sql) }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        guard case .pool(let pool) = server else { throw UnsupportedAccess.snapshotOfQueue }
        let label = client.accessLabel
        return EngineSnapshot(try pool.makeSnapshot(as: label), label: label, target: self)
    }

    func interrupt() {
        switch server {
        case .queue(let queue): queue.interrupt()
        case .pool(let pool): pool.interrupt()
        case .frozen(let frozen): frozen.interrupt()
        }
    }

    func interrupt(connection label: String) -> Bool {
        switch server {
        case .queue(let queue): queue.interrupt(connection: label)
        case .pool(let pool): pool.interrupt(connection: label)
        case .frozen(let frozen): frozen.pool.interrupt(connection: label)
        }
    }

    func failure(of error: any Error) -> WorkloadFailure {
        guard let error = error as? DatabaseError else { return .error("\(type(of: error))") }
        return WorkloadFailure(error.extendedResultCode)
    }

    func status() -> DatabaseStatus? { writer.status() }

    func busyFailure(of error: any Error) -> BusyFailure? {
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_BUSY else {
            return nil
        }
        return BusyFailure(
            statement: error.sql,
            wait: replacesBusyHandler ? nil : error.lockWait
        )
    }

    var writingClient: String? {
        status()?.connections.first { $0.role != .reader && $0.holder != nil }?.holder?.name
    }

    func restartTimes() {
        switch server {
        case .queue(let queue): queue.restartTimes()
        case .pool(let pool): pool.restartTimes()
        case .frozen(let frozen): frozen.pool.restartTimes()
        }
    }

    func refusals() -> [String: UInt64] { statementGuard?.refusals ?? [:] }

    func environment() throws -> [String: String] {
        var facts = ["library": "SQLiteEngine"]
        try perform(.writeWithoutTransaction, as: WorkloadClientName("environment")) { session in
            try session.addFacts(to: &facts)
        }
        return facts
    }

    func close() throws {
        switch server {
        case .queue(let queue): try queue.close()
        case .pool(let pool): try pool.close()
        case .frozen(let frozen): try frozen.close()
        }
    }
}

extension WorkloadClientName {
    /// The label for the engine's probes, which is registered only once.
    var accessLabel: AccessLabel {
        AccessLabel(index: memo.number { AccessLabel(name).index })
    }
}

extension Arm.Begin {
    /// The engine's kind of transaction, or `nil` for the default kind for writes.
    fileprivate var transactionKind: Database.TransactionKind? {
        switch self {
        case .deferred: .deferred
        case .immediate: nil
        case .exclusive: .exclusive
        }
    }
}

extension Database {
    fileprivate func inTransaction(
        _ kind: TransactionKind,
        _ body: (Database) throws -> Void
    ) throws {
        try inTransaction(kind) {
            try body(self)
            return .commit
        }
    }
}
