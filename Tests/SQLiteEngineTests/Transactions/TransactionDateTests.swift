import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

struct TransactionDateTests {
    private let folder = TemporaryFolder()
    private let ticks = Lock(0)

    /// A configuration with a clock that advances by a second each time it is read.
    private var configuration: Configuration {
        let ticks = ticks
        return .with {
            $0.transactionClock = .custom { _ in
                ticks.withLock { ticks in
                    ticks += 1
                    return Date(timeIntervalSinceReferenceDate: Double(ticks))
                }
            }
        }
    }

    /// Resets the clock, because the transactions that created the table advanced it.
    private func restartClock() { ticks.withLock { $0 = 0 } }

    private func date(_ db: Database) throws -> Double {
        try db.transactionDate.timeIntervalSinceReferenceDate
    }

    @Test func aTransactionHasOneDate() throws {
        let queue = try DatabaseQueue.withTable(configuration: configuration)
        restartClock()
        try queue.write { db in
            try #expect([date(db), date(db)] == [1, 1])
            try db.insert(1)
            try #expect(date(db) == 1)
            try db.inSavepoint {
                try #expect(date(db) == 1)
                return .rollback
            }
            try #expect(date(db) == 1)
        }
        try queue.write { db in try #expect(date(db) == 2) }
        try queue.read { db in try #expect([date(db), date(db)] == [3, 3]) }
    }

    @Test func outsideATransactionTheClockIsReadEachTime() throws {
        let queue = try DatabaseQueue.withTable(configuration: configuration)
        restartClock()
        try queue.inDatabase { db in
            try #expect([date(db), date(db)] == [1, 2])
            try db.beginTransaction()
            try #expect([date(db), date(db)] == [3, 3])
            try db.commit()
            try #expect([date(db), date(db)] == [4, 5])
            try db.beginTransaction()
            try #expect([date(db), date(db)] == [6, 6])
            try db.rollback()
            try #expect(date(db) == 7)
        }
    }

    @Test func transactionsOfAReaderHaveSeparateDates() throws {
        let pool = try DatabasePool.withTable(in: folder, configuration: configuration)
        restartClock()
        for expected in 1...50 {
            try pool.read { db in
                _ = try db.rowCount()
                try #expect([date(db), date(db)] == [Double(expected), Double(expected)])
            }
        }
    }

    @Test func aTransactionAfterAnAutomaticRollbackHasANewDate() throws {
        let queue = try DatabaseQueue.withTable(configuration: configuration)
        restartClock()
        #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                try #expect(date(db) == 1)
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            }
        }
        try queue.write { db in try #expect(date(db) == 2) }
    }

    @Test func anErrorFromTheClockIsThrown() throws {
        struct Mistake: Error {}
        let queue = try DatabaseQueue.withTable(
            configuration: .with { $0.transactionClock = .custom { _ in throw Mistake() } }
        )
        #expect(throws: Mistake.self) { try queue.write { db in _ = try db.transactionDate } }
    }
}
