import Foundation
import Telemetry
import Testing

@testable import SQLiteEngine

struct TransactionClockTests {
    private struct ClockError: Error {}

    /// Returns a configuration with a clock that advances by a second each time it is read.
    private func makeCountingClockConfiguration() -> Configuration {
        let seconds = Lock(0.0)
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in
            let now = seconds.withLock { seconds in
                seconds += 1
                return seconds
            }
            return Date(timeIntervalSinceReferenceDate: now)
        }
        return configuration
    }

    @Test func eachTransactionHasOneDate() throws {
        let queue = try DatabaseQueue(configuration: makeCountingClockConfiguration())
        let seconds = { (db: Database) in
            try db.transactionDate.timeIntervalSinceReferenceDate
        }
        try queue.inDatabase { db in
            #expect(try seconds(db) == 1)
            #expect(try seconds(db) == 2)
            for end in ["COMMIT", "ROLLBACK"] {
                try db.execute(sql: "BEGIN")
                let date = try seconds(db)
                try db.execute(sql: "SAVEPOINT a")
                #expect(try seconds(db) == date)
                try db.execute(sql: end)
                #expect(try seconds(db) == date + 1)
            }
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); BEGIN")
            let date = try seconds(db)
            _ = try? db.execute(
                sql: "INSERT INTO t VALUES (1); INSERT OR ROLLBACK INTO t VALUES (1)"
            )
            #expect(try seconds(db) == date + 1)
        }
        let written = try queue.write { db in (try seconds(db), try seconds(db)) }
        #expect(written.0 == written.1)
        let read = try queue.read { db in (try seconds(db), try seconds(db)) }
        #expect(read.0 == read.1)
        #expect(read.0 > written.0)
    }

    @Test func aTransactionHasTheDateOfItsStart() throws {
        let clock = Lock(Date(timeIntervalSinceReferenceDate: 0))
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in clock.withLock { $0 } }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            clock.withLock { $0 += 10 }
            let date = try db.transactionDate
            #expect(date.timeIntervalSinceReferenceDate == 0)
        }
    }

    @Test func anErrorFromTheClockIsThrownToTheCaller() throws {
        let isBroken = Lock(true)
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in
            if isBroken.withLock({ $0 }) { throw ClockError() }
            return Date(timeIntervalSinceReferenceDate: 0)
        }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            #expect(throws: ClockError.self) { _ = try db.transactionDate }
            isBroken.withLock { $0 = false }
            #expect(throws: ClockError.self) { _ = try db.transactionDate }
            try db.execute(sql: "CREATE TABLE t (a)")
        }
        let date = try queue.write { db in try db.transactionDate }
        #expect(date.timeIntervalSinceReferenceDate == 0)
    }
}
