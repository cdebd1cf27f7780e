import CSQLite
import Dispatch
import SQLiteEngine
import Scenarios
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

/// An access's connection to an engine database.
struct EngineSession: WorkloadSession {
    let database: Database
    // Unowned is safe because the target outlives its accesses. A strong reference would add two
    // atomic operations to each access.
    unowned(unsafe) let target: EngineTarget

    /// Runs a cached statement and returns the number of rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try RowPresence.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).count
    }

    /// Returns a closure that interrupts this connection's statement.
    ///
    /// Only the first call of the closure counts as a call to the database's `interrupt()`. Later
    /// calls repeat the interrupt without counting it.
    func makeInterrupt() -> (@Sendable () -> Void)? {
        // The access keeps the connection open. The closure is not called after the access.
        nonisolated(unsafe) let connection = database.handle
        let isSent = Lock(false)
        return { [target, label = database.label] in
            let isRepeat = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            // Snapshot connections do not belong to the target.
            if isRepeat || !target.interrupt(connection: label) { sqlite3_interrupt(connection) }
        }
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        try WholeRow.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).map(\.values)
    }
}

final class EngineSnapshot: WorkloadSnapshot {
    private let snapshot: DatabaseSnapshot
    private let label: AccessLabel
    private let target: EngineTarget

    init(_ snapshot: DatabaseSnapshot, label: AccessLabel, target: EngineTarget) {
        self.snapshot = snapshot
        self.label = label
        self.target = target
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        try snapshot.read(as: label) { try body(EngineSession(database: $0, target: target)) }
    }

    func release() {
        // Ignore errors: closing fails only if a statement exists, and no statement outlives its
        // access.
        try? snapshot.close()
    }
}

/// The kind of server that performs an arm's accesses in a library with queues and pools.
package enum ServerKind: Sendable {
    /// One connection for all accesses to a file or an in-memory database.
    case queue(isWAL: Bool, isInMemory: Bool)
    /// A writer and several readers.
    case pool
    /// A snapshot of a pool.
    case snapshot

    package func supports(_ access: WorkloadAccess) -> Bool {
        switch (self, access) {
        case (.queue, .snapshot), (.snapshot, .write), (.snapshot, .writeWithoutTransaction),
            (.snapshot, .snapshot):
            false
        case (_, .read), (_, .write), (_, .writeWithoutTransaction), (_, .snapshot): true
        }
    }

    package func has(_ capability: WorkloadAbility) -> Bool {
        switch (self, capability) {
        case (.queue(let isWAL, _), .writeAheadLog): isWAL
        case (.snapshot, _): false
        case (.queue(_, let isInMemory), .sharedFile): !isInMemory
        case (.pool, .writeAheadLog), (.pool, .sharedFile), (_, .backup), (_, .tasks),
            (_, .concurrentReads):
            true
        }
    }
}

/// The error for an access that a target does not support.
package enum UnsupportedAccess: Error, CustomStringConvertible {
    case snapshotOfQueue
    case concurrentRead
    case library(String)
    case awaited(WorkloadAccess)

    package var description: String {
        switch self {
        case .snapshotOfQueue:
            "a DatabaseQueue does not support snapshots; use an arm with 'type: pool'"
        case .concurrentRead: "this arm supports neither writes nor concurrent reads"
        case .awaited(let access):
            "this arm does not support asynchronous accesses of kind \(access.rawValue)"
        case .library(let name): "the library \(name) is not part of this program"
        }
    }
}

/// A read that one thread performs while another thread waits for the read to end.
package final class ConcurrentRead: Sendable {
    private let result = Lock<Result<Void, any Error>?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    package init() {}

    package func end(_ result: Result<Void, any Error>) {
        self.result.withLock { $0 = result }
        ended.signal()
    }

    /// Waits until the read ends, and throws its error.
    package func wait() throws {
        ended.wait()
        try result.withLock { $0 }?.get()
    }
}

extension EngineTarget {
    /// Writes, and then reads the committed state on another connection.
    ///
    /// The read starts before the writer is released, so no other write can occur between the
    /// commit and the read.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws {
        let site = AccessSite(client.accessLabel)
        let read = ConcurrentRead()
        func write(_ database: Database, in writer: some DatabaseWriter) throws {
            try database.inTransaction(.immediate) {
                try body(EngineSession(database: database, target: self))
                return .commit
            }
            let reading = makeReading()
            writer.spawnConcurrentRead(at: site) { [self] result in
                read.end(
                    Result {
                        try reading(EngineSession(database: try result.get(), target: self))
                    }
                )
            }
        }
        let label = client.accessLabel
        switch server {
        case .pool(let pool):
            try pool.writeWithoutTransaction(as: label) { try write($0, in: pool) }
        case .queue(let queue):
            try queue.writeWithoutTransaction(as: label) { try write($0, in: queue) }
        case .frozen: throw UnsupportedAccess.concurrentRead
        }
        try read.wait()
    }

    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws {
        let copy = try DatabaseQueue(path: path)
        do {
            try writer.backup(to: copy, pagesPerStep: CInt(clamping: pagesPerStep)) { state in
                let total = Double(max(1, state.totalPageCount))
                try progress(Double(state.completedPageCount) / total)
            }
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
    }
}

extension EngineTarget: ProfiledTarget {}

extension EngineSession: ProfiledSession {
    var sqliteConnection: OpaquePointer? { database.handle }

    func preparedStatement(_ sql: String) throws -> OpaquePointer {
        try database.cachedStatement(sql: sql).pointer
    }

    func rollingBack(_ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
            try body()
            return .rollback
        }
    }
}
