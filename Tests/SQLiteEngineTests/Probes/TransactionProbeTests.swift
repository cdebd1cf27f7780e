import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct TransactionProbeTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [true, false])
    func theTransactionOfAReadStartsWithItsFirstStatement(keepsReadTransactions: Bool) throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.keepsReadTransactions = keepsReadTransactions }
        )
        let state = { pool.status().connections.last?.transaction }
        // The second time, the statements are cached.
        for value in 1...2 {
            try pool.write { db in try db.insert(value) }
            try pool.read { db in
                #expect(state() == TransactionState.none)
                _ = try Int.fetchOne(try db.cachedStatement(sql: "SELECT 1"))
                #expect(state() == TransactionState.none)
                _ = try db.rowCount()
                #expect(state() == .read)
                _ = try Int.fetchOne(try db.cachedStatement(sql: "SELECT 1"))
                #expect(state() == .read)
            }
        }
        if !keepsReadTransactions { #expect(state() == TransactionState.none) }
    }

    @Test func aWriteAccessReportsAWriteTransactionFromItsStart() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let state = { pool.status().connections.first?.transaction }
        try pool.write { _ in #expect(state() == .write) }
        #expect(state() == TransactionState.none)
        struct Mistake: Error {}
        #expect(throws: Mistake.self) {
            try pool.write { db in
                try db.insert(1)
                throw Mistake()
            }
        }
        #expect(state() == TransactionState.none)
    }

    @Test func manualTransactionsAreReported() throws {
        let queue = try DatabaseQueue.withTable()
        let state = { queue.status().connections.first?.transaction }
        try queue.writeWithoutTransaction { db in
            #expect(state() == TransactionState.none)
            try db.insert(1)
            #expect(state() == TransactionState.none)
            try db.execute(sql: "BEGIN")
            #expect(state() == TransactionState.none)
            _ = try db.rowCount()
            #expect(state() == .read)
            try db.insert(2)
            #expect(state() == .write)
            try db.execute(sql: "COMMIT")
            #expect(state() == TransactionState.none)
            let rows = try Row.fetchCursor(db, sql: "SELECT v FROM t")
            _ = try rows.next()
            #expect(state() == .read)
            while try rows.next() != nil {}
            #expect(state() == TransactionState.none)
        }
    }

    @Test func aSnapshotReportsAReadTransaction() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        #expect(pool.status().connections.last?.transaction == .read)
        try snapshot.read { db in _ = try db.rowCount() }
        #expect(pool.status().connections.last?.transaction == .read)
        try snapshot.close()
    }

    @Test func waitsForOtherConnectionsLocksAreCounted() throws {
        let path = folder.file()
        let blocker = try DatabaseQueue(path: path)
        try blocker.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        let queue = try DatabaseQueue(
            path: path,
            configuration: .with { $0.busyMode = .timeout(0.02) }
        )
        _ = try blocker.write { _ in
            #expect(throws: DatabaseError.self) { try queue.write { db in try db.insert(1) } }
        }
        let status = queue.status()
        #expect(status.busyCount == 1)
        #expect(try #require(status.busyWaitNanoseconds) >= 20_000_000)
        #expect(status.connections.first?.busyWaitNanoseconds == status.busyWaitNanoseconds)
    }

    @Test func anInterruptReportsItsLatency() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let read = Background {
            try pool.read { db in
                gate.install(on: db)
                _ = try Int.fetchOne(db, sql: StatementGate.longQuery)
            }
        }
        try gate.awaitStatement()
        #expect(pool.status().interrupts?.latency == nil)
        let requested = monotonicNanoseconds()
        pool.interrupt()
        // A second request does not change the recorded time of the first request.
        pool.interrupt()
        gate.resume()
        #expect(throws: DatabaseError.self) { try read.value() }
        let latency = try #require(pool.status().interrupts?.latency)
        #expect(latency.count == 1)
        #expect(latency.max > 0 && latency.max <= monotonicNanoseconds() - requested)
    }

    @Test func openingsAreCountedAndTimed() throws {
        let mayOpen = Lock(true)
        struct Mistake: Error {}
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with {
                $0.prepareDatabase { _ in
                    if !mayOpen.withLock({ $0 }) { throw Mistake() }
                }
            }
        )
        #expect(pool.status().openings?.opened == 1)
        mayOpen.withLock { $0 = false }
        #expect(throws: Mistake.self) { try pool.read { _ in } }
        #expect(pool.status().openings?.failed == 1)
        mayOpen.withLock { $0 = true }
        try pool.read { _ in }
        let openings = try #require(pool.status().openings)
        #expect(openings.opened == 2)
        #expect(openings.failed == 1)
        #expect(openings.time?.count == 2)
    }
}
