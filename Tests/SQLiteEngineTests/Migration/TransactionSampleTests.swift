import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples from the article "Transactions and Savepoints".
@Suite(.timeLimit(.minutes(1)))
struct TransactionSampleTests {
    let sample = SampleDatabase()

    /// Records the first keyword of each BEGIN, INSERT, SELECT, COMMIT, and ROLLBACK statement.
    private final class Trace: Sendable {
        private let lines = Lock<[String]>([])

        func start(_ db: Database) {
            db.trace { event in
                let sql = event.description
                self.lines.withLock { $0.append(sql) }
            }
        }

        func stop(_ db: Database) -> [String] {
            db.trace()
            return lines.withLock { $0 }
                .map { String($0.prefix { $0 != " " }).uppercased() }
                .filter { ["BEGIN", "INSERT", "SELECT", "COMMIT", "ROLLBACK"].contains($0) }
        }
    }

    private func transfer(_ db: Database, _ amount: Int = 10) throws {
        try Credit("destination", amount).insert(db)
        try Debit("source", amount).insert(db)
    }

    private func paymentCounts(_ reader: some DatabaseReader) throws -> [Int] {
        try reader.read { db in [try Credit.fetchCount(db), try Debit.fetchCount(db)] }
    }

    @Test func aWriteIsOneTransaction() throws {
        let dbQueue = try sample.makeQueue()
        // The first insertion fetches the columns of its table.
        try dbQueue.write { db in try transfer(db) }
        let trace = Trace()
        dbQueue.inDatabase { db in trace.start(db) }
        try dbQueue.write { db in try transfer(db) }
        let statements = dbQueue.inDatabase { db in trace.stop(db) }
        #expect(statements == ["BEGIN", "INSERT", "INSERT", "COMMIT"])
    }

    @Test func aReadObservesOneState() throws {
        let dbPool = try sample.makePool()
        let mayFetch = Gate()
        let didFetch = Gate()
        let reading = Background {
            try dbPool.read { db in
                let credits = try Credit.fetchAll(db)
                didFetch.open()
                try mayFetch.wait()
                let debits = try Debit.fetchAll(db)
                return [credits.count, debits.count]
            }
        }
        try didFetch.wait()
        try dbPool.write { db in try transfer(db) }
        mayFetch.open()
        try #expect(reading.value() == [0, 0])
    }

    @Test func anErrorRollsBackAWrite() throws {
        for writer in try sample.makeWriters() {
            #expect(throws: DatabaseError.self) {
                try writer.write { db in try transfer(db, -1) }
            }
            try #expect(paymentCounts(AnyDatabaseReader(writer)) == [0, 0])
        }
    }

    @Test func anErrorOutsideATransactionRollsBackOnlyItsStatement() throws {
        for writer in try sample.makeWriters() {
            #expect(throws: DatabaseError.self) {
                try writer.writeWithoutTransaction { db in try transfer(db, -1) }
            }
            try #expect(paymentCounts(AnyDatabaseReader(writer)) == [1, 0])
        }
    }

    @Test func readsObservePartsOfAWriteWithoutATransaction() throws {
        let dbPool = try sample.makePool()
        try dbPool.writeWithoutTransaction { db in
            try Credit("destination", 10).insert(db)
            try #expect(paymentCounts(dbPool) == [1, 0])
            try Debit("source", 10).insert(db)
        }
        try #expect(paymentCounts(dbPool) == [1, 1])
    }

    @Test func anUnsafeReadObservesConcurrentWrites() throws {
        let dbPool = try sample.makePool()
        let (credits, debits) = try dbPool.unsafeRead { db in
            let credits = try Credit.fetchAll(db)
            try dbPool.write { db in try transfer(db) }
            let debits = try Debit.fetchAll(db)
            return (credits, debits)
        }
        #expect(credits.count == 0)
        #expect(debits.count == 1)
    }

    @Test func explicitTransactionsCommitAndRollBack() throws {
        let dbQueue = try sample.makeQueue()
        try dbQueue.inTransaction { db in
            try transfer(db)
            return .commit
        }
        try dbQueue.writeWithoutTransaction { db in
            try db.inTransaction {
                try transfer(db)
                return .commit
            }
            try db.inTransaction {
                try transfer(db)
                return .rollback
            }
        }
        try #expect(paymentCounts(dbQueue) == [2, 2])
        let dbPool = try sample.makePool()
        try dbPool.writeInTransaction { db in
            try transfer(db)
            return .commit
        }
        try #expect(paymentCounts(dbPool) == [1, 1])
    }

    @Test func transactionsCanBeOpenedManuallyOrBySQL() throws {
        let dbQueue = try sample.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try transfer(db)
            try db.commit()
            try db.execute(sql: "BEGIN TRANSACTION")
            try transfer(db)
            try db.execute(sql: "ROLLBACK")
        }
        try #expect(paymentCounts(dbQueue) == [1, 1])
    }

    @Test func aTransactionThatStaysOpenStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let dbQueue = try DatabaseQueue()
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN TRANSACTION")
            }
        }
        let message = "A transaction was left open at the end of a database access"
        #expect(result?.message.contains(message) == true)
    }

    @Test func aMethodCanDetermineWhetherItIsInATransaction() throws {
        try sample.makeQueue().writeWithoutTransaction { db in
            #expect(!db.isInsideTransaction)
            try db.inSavepoint {
                #expect(db.isInsideTransaction)
                return .commit
            }
            #expect(!db.isInsideTransaction)
        }
    }

    @Test func aSavepointRollsBackOnlyItsPart() throws {
        let dbQueue = try sample.makeQueue()
        try dbQueue.write { db in
            try Credit("first", 1).insert(db)
            #expect(throws: DatabaseError.self) {
                try db.inSavepoint {
                    try transfer(db, -1)
                    return .commit
                }
            }
            try db.inSavepoint {
                try transfer(db)
                return .commit
            }
            try db.inSavepoint {
                try transfer(db)
                return .rollback
            }
        }
        try #expect(paymentCounts(dbQueue) == [2, 1])
    }

    @Test func savepointsNest() throws {
        let dbPool = try sample.makePool()
        try dbPool.writeWithoutTransaction { db in
            try db.inSavepoint {
                try Credit("outer", 1).insert(db)
                try db.inSavepoint {
                    try Debit("inner", 1).insert(db)
                    return .commit
                }
                try #expect(paymentCounts(dbPool) == [0, 0])
                return .commit
            }
            try #expect(paymentCounts(dbPool) == [1, 1])
        }
    }

    @Test func aTransactionCanBeExclusive() throws {
        let dbQueue = try DatabaseQueue(path: sample.path)
        let trace = Lock<[String]>([])
        try dbQueue.inDatabase { db in
            db.trace { event in trace.withLock { $0.append(event.description) } }
            try db.inTransaction(.exclusive) { .commit }
        }
        try dbQueue.inTransaction(.exclusive) { _ in .commit }
        #expect(trace.withLock { $0.filter { $0.hasPrefix("BEGIN EXCLUSIVE") } }.count == 2)
    }
}
