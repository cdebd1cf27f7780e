#if GRDB
import EngineTarget
import Foundation
import GRDB
import PoolgaugeGRDB
import Scenarios
import Telemetry
import WorkloadEngine

/// A GRDB `DatabaseQueue` or `DatabasePool` under load.
final class GRDBTarget: ProfiledTarget {
    enum Server: Sendable {
        case queue(DatabaseQueue)
        case pool(DatabasePool)
        case frozen(GRDBFrozenReads)
    }

    private let server: Server
    private let arm: Arm
    private let path: String
    let ledger: AccessLedger
    private let waits: GRDBBusyWaits

    init(
        _ server: Server,
        arm: Arm,
        path: String,
        waits: GRDBBusyWaits,
        ledger: AccessLedger
    ) {
        self.server = server
        self.waits = waits
        self.ledger = ledger
        self.arm = arm
        self.path = path
        let readers: Int? =
            switch server {
            case .queue, .frozen: nil
            case .pool(let pool): pool.configuration.maximumReaderCount
            }
        ledger.start(maximumReaders: readers)
    }

    private var kind: ServerKind {
        switch server {
        case .queue(let queue): .queue(isWAL: arm.isWAL, isInMemory: queue.path == ":memory:")
        case .pool: .pool
        case .frozen: .snapshot
        }
    }

    func supports(_ access: WorkloadAccess) -> Bool { kind.supports(access) }

    func has(_ capability: WorkloadAbility) -> Bool { kind.has(capability) }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        if access == .snapshot {
            let snapshot = try makeSnapshot(as: client)
            defer { snapshot.release() }
            return try snapshot.read(body)
        }
        let call = WatchedAccess(access == .read ? .read : .write, at: client.site, ledger)
        // Pass each closure directly, so that no access allocates it on the heap.
        do {
            switch (server, access) {
            case (.pool(let pool), .read): try pool.read { try call.perform(body, on: $0) }
            case (.queue(let queue), .read): try queue.read { try call.perform(body, on: $0) }
            case (.frozen(let frozen), .read):
                try frozen.openSnapshot().read { try call.perform(body, on: $0) }
            case (.pool(let pool), .write): try pool.write { try call.perform(body, on: $0) }
            case (.queue(let queue), .write): try queue.write { try call.perform(body, on: $0) }
            case (.frozen(let frozen), .write):
                try frozen.pool.write { try call.perform(body, on: $0) }
            case (_, .writeWithoutTransaction), (_, .snapshot):
                try writer.writeWithoutTransaction { try call.perform(body, on: $0) }
            }
        } catch {
            call.end()
            throw error
        }
    }

    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws {
        let call = WatchedAccess(
            access == .read ? .read : .write,
            at: client.site,
            ledger,
            isTask: true
        )
        let run: @Sendable (Database) throws -> Void = { db in
            try call.perform(body, on: db)
        }
        do {
            switch (server, access) {
            case (.pool(let pool), .read): try await pool.read(run)
            case (.queue(let queue), .read): try await queue.read(run)
            case (.frozen(let frozen), .read): try await frozen.openSnapshot().read(run)
            case (.pool(let pool), .write): try await pool.write(run)
            case (.queue(let queue), .write): try await queue.write(run)
            case (_, .writeWithoutTransaction), (.frozen, .write), (_, .snapshot):
                throw UnsupportedAccess.awaited(access)
            }
        } catch {
            call.end()
            throw error
        }
    }

    /// The queue or pool.
    ///
    /// In a snapshot arm, only the run itself writes, for example for the arm's setup.
    var writer: any DatabaseWriter {
        switch server {
        case .queue(let queue): queue
        case .pool(let pool): pool
        case .frozen(let frozen): frozen.pool
        }
    }

    func check(_ sql: String) throws {
        try writer.writeWithoutTransaction { _ = try $0.makeStatement(sql: sql) }
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        guard case .pool(let pool) = server else { throw UnsupportedAccess.snapshotOfQueue }
        return GRDBSnapshot(try pool.makeSnapshot(), of: client, ledger)
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

    func interrupt() {
        ledger.countInterruptOfAll()
        switch server {
        case .queue(let queue): queue.interrupt()
        case .pool(let pool): pool.interrupt()
        case .frozen(let frozen): frozen.interrupt()
        }
    }

    func interrupt(connection label: String) -> Bool { ledger.interrupt(connection: label) }

    func failure(of error: any Error) -> WorkloadFailure {
        guard let error = error as? DatabaseError else { return .error("\(type(of: error))") }
        return WorkloadFailure(sqliteCode: error.extendedResultCode.rawValue)
    }

    func busyFailure(of error: any Error) -> BusyFailure? {
        guard let error = error as? DatabaseError, error.resultCode == .SQLITE_BUSY else {
            return nil
        }
        // SQLite does not call the handler if a read transaction on an old state tries to write.
        let isUpgrade = error.extendedResultCode == .SQLITE_BUSY_SNAPSHOT
        return BusyFailure(
            statement: error.sql,
            handler: arm.replacesBusyHandler || isUpgrade ? .unknown : waits.take()
        )
    }

    func status() -> DatabaseStatus? {
        var status = ledger.status(
            label: arm.name,
            kind: { if case .pool = server { .pool } else { .queue } }()
        )
        status.path = path
        // Report the size of the file, because only SQLite can interpret its contents.
        if has(.writeAheadLog) {
            status.journalMode = "wal"
            let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
            if let size = size as? NSNumber { status.wal = WALStatus(bytes: size.uint64Value) }
        }
        return status
    }

    func restartTimes() { ledger.restartTimes() }

    func environment() throws -> [String: String] {
        var facts = ["library": "GRDB", "probes": "none: observed from outside"]
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
    /// The origin of the client's accesses in the status.
    var site: CallSite { .label(name) }
}

extension WatchedAccess {
    /// Runs the closure of the access on the connection that GRDB has selected.
    func perform(_ body: (any WorkloadSession) throws -> Void, on db: Database) throws {
        let use = begin(on: db)
        do {
            try body(GRDBSession(database: db, probe: use?.probe))
            end(use)
        } catch {
            end(use, failingWith: error)
            throw error
        }
    }
}

struct GRDBSession: ProfiledSession {
    let database: Database
    /// The probe of the connection, which is `nil` only if the connection has been closed.
    let probe: GRDBProbe?

    /// Runs a cached statement and returns the number of rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try reporting(sql) {
            let statement = try database.cachedStatement(sql: sql)
            let arguments = StatementArguments(values.map(\.grdbValue))
            guard statement.columnCount > 0 else {
                try statement.execute(arguments: arguments)
                return 0
            }
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var count = 0
            while try rows.next() != nil { count += 1 }
            return count
        }
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        try reporting(sql) {
            let rows = try Row.fetchCursor(
                database.cachedStatement(sql: sql),
                arguments: StatementArguments(values.map(\.grdbValue))
            )
            var result: [[WorkloadValue]] = []
            while let row = try rows.next() {
                result.append(row.databaseValues.map(WorkloadValue.init))
            }
            return result
        }
    }

    private func reporting<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        probe?.statementDidStart(sql)
        do {
            let result = try body()
            probe?.statementDidEnd()
            return result
        } catch {
            probe?.statementDidEnd(with: error)
            throw error
        }
    }

    /// Returns a closure that interrupts this connection's statement.
    ///
    /// Only the first call of the closure counts as a call to the database's `interrupt()`. Later
    /// calls repeat that interrupt.
    func makeInterrupt() -> (@Sendable () -> Void)? {
        let isSent = Lock(false)
        return { [probe] in
            let isRepeat = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            probe?.interrupt(isCounted: !isRepeat)
        }
    }

    var sqliteConnection: OpaquePointer? { database.sqliteConnection }

    func preparedStatement(_ sql: String) throws -> OpaquePointer {
        try database.cachedStatement(sql: sql).sqliteStatement
    }

    func rollingBack(_ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
            try body()
            return .rollback
        }
    }
}

final class GRDBSnapshot: WorkloadSnapshot {
    /// The snapshot, or `nil` after its release.
    ///
    /// Releasing the last reference ends the transaction and closes the connection.
    private let snapshot: Lock<DatabaseSnapshot?>
    private let client: WorkloadClientName
    private let ledger: AccessLedger

    init(_ snapshot: DatabaseSnapshot, of client: WorkloadClientName, _ ledger: AccessLedger) {
        self.snapshot = Lock(snapshot)
        self.client = client
        self.ledger = ledger
        snapshot.read { ledger.didTakeSnapshot(on: $0, at: client.site) }
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        guard let snapshot = snapshot.withLock({ $0 }) else {
            throw RunError(.scenario, "the snapshot was released")
        }
        try snapshot.read { db in
            try ledger.useSnapshot(db, at: client.site) {
                try body(GRDBSession(database: db, probe: $0))
            }
        }
    }

    func release() {
        snapshot.withLock { $0 = nil }
    }
}

extension WorkloadValue {
    var grdbValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    init(_ value: DatabaseValue) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let value): .integer(value)
            case .double(let value): .real(value)
            case .string(let value): .text(value)
            case .blob(let data): .blob([UInt8](data))
            }
    }
}

extension GRDBTarget {
    /// Writes, and then reads the committed state.
    ///
    /// The read starts before GRDB's writer is released.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws {
        let call = WatchedAccess(.write, at: client.site, ledger)
        let concurrentRead = ConcurrentRead()
        do {
            try writer.writeWithoutTransaction { db in
                let use = call.begin(on: db)
                do {
                    try db.inTransaction(.immediate) {
                        try body(GRDBSession(database: db, probe: use?.probe))
                        return .commit
                    }
                } catch {
                    call.end(use, failingWith: error)
                    throw error
                }
                defer { call.end(use) }
                let body = makeReading()
                let readCall = WatchedAccess(.read, at: client.site, ledger)
                writer.spawnConcurrentRead { read in
                    concurrentRead.end(
                        Result {
                            defer { readCall.end() }
                            try readCall.perform(body, on: try read.get())
                        }
                    )
                }
            }
        } catch {
            call.end()
            throw error
        }
        try concurrentRead.wait()
    }
}
#endif
