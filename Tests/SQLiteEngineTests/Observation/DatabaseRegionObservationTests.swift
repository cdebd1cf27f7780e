import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the observation of transactions that change a region.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseRegionObservationTests {
    private let folder = TemporaryFolder()

    private func makePool() throws -> DatabasePool {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { try $0.execute(sql: "CREATE TABLE other (v)") }
        return pool
    }

    private let tableRegion = AnyDatabaseRegionConvertible { db in
        try db.makeStatement(sql: "SELECT * FROM t").databaseRegion
    }

    @Test func eachTransactionIsReportedOnItsConnection() throws {
        let pool = try makePool()
        let received = CollectedLines()
        let cancellable = DatabaseRegionObservation(tracking: tableRegion).start(in: pool) { _ in
        } onChange: { db in
            received.append("\((try? db.rowCount()) ?? -1)")
        }
        for value in 1...5 {
            try pool.write { try $0.insert(value) }
            try pool.write { try $0.execute(sql: "INSERT INTO other VALUES (1)") }
        }
        try pool.write { db in
            try db.insert(6)
            try db.insert(7)
        }
        #expect(received.all == ["1", "2", "3", "4", "5", "7"])
        cancellable.cancel()
        try pool.write { try $0.insert(8) }
        #expect(received.all.count == 6)
    }

    @Test func anObservationEndsWithItsCancellable() throws {
        let pool = try makePool()
        let received = CollectedLines()
        do {
            let cancellable = DatabaseRegionObservation(tracking: [.fullDatabase]).start(
                in: pool,
                onError: { _ in },
                onChange: { _ in received.append("change") }
            )
            try withExtendedLifetime(cancellable) { try pool.write { try $0.insert(1) } }
        }
        try pool.write { try $0.insert(2) }
        #expect(received.all == ["change"])
    }

    @Test func anInvalidRegionIsAnError() throws {
        let pool = try makePool()
        let received = CollectedLines()
        let nowhere = AnyDatabaseRegionConvertible { db in
            try db.makeStatement(sql: "SELECT * FROM nowhere").databaseRegion
        }
        let cancellable = DatabaseRegionObservation(tracking: nowhere).start(
            in: pool,
            onError: { received.append("\($0)") },
            onChange: { _ in }
        )
        try eventually { received.all.first?.contains("nowhere") == true }
        cancellable.cancel()
    }
}
