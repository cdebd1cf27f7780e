#if GRDB
import EngineTarget
import Foundation
import GRDB
import Telemetry
import WorkloadEngine

struct GRDBSession: ProfiledSession {
    let database: Database
    let observedConnection: ObservedConnection

    /// Runs a cached statement and returns the number of rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try observedConnection.watching(sql) {
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
        try observedConnection.watching(sql) {
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

    /// Returns a closure that interrupts this connection's statement.
    ///
    /// Only the first call of the closure counts as a call to the database's `interrupt()`. Later
    /// calls repeat that interrupt.
    func makeInterrupt() -> (@Sendable () -> Void)? {
        let isSent = Lock(false)
        return { [observedConnection] in
            let isRepeat = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            _ = observedConnection.interrupt(isCounted: !isRepeat)
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
    private let watch: AccessWatch
    private let number: Int

    init(_ snapshot: DatabaseSnapshot, of client: WorkloadClientName, _ watch: AccessWatch) {
        self.snapshot = Lock(snapshot)
        self.client = client
        self.watch = watch
        number = watch.beginSnapshot(by: client.name)
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        guard let snapshot = snapshot.withLock({ $0 }) else {
            throw RunError(.scenario, "the snapshot was released")
        }
        try snapshot.read { db in
            let observedConnection = watch.enterSnapshot(db, number, by: client.name)
            defer { observedConnection.leave() }
            try body(GRDBSession(database: db, observedConnection: observedConnection))
        }
    }

    func release() {
        watch.endSnapshot(number)
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
