#if GRDB
import EngineTarget
import Foundation
import GRDB
import PoolgaugeGRDB
import Telemetry
import WorkloadEngine

struct GRDBSession: ProfiledSession {
    let database: Database
    /// The probe of the connection, which is `nil` only if the connection has been closed.
    let probe: ConnectionProbe?

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
#endif
