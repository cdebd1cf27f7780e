import CSQLite
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct InterruptTests {
    private let folder = TemporaryFolder()
    private static let longInsert = "INSERT INTO t \(StatementGate.longQuery)"

    /// Executes a statement that the test interrupts at `gate`, and returns the statement's error.
    private static func interruptionError(
        of sql: String,
        on db: Database,
        at gate: StatementGate
    ) -> DatabaseError? {
        gate.install(on: db)
        return #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
    }

    /// Interrupts `pool` when a statement has reached `gate`.
    private func interrupt(_ pool: DatabasePool, at gate: StatementGate) throws {
        try gate.awaitStatement()
        pool.interrupt()
        gate.resume()
    }

    @Test func aRunningStatementThrows() throws {
        let queue = try DatabaseQueue.withTable()
        let gate = StatementGate()
        let read = Background {
            try queue.read { db in
                Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)
            }
        }
        try gate.awaitStatement()
        queue.interrupt()
        gate.resume()
        let error = try #require(try read.value())
        #expect(error.resultCode == .SQLITE_INTERRUPT)
        #expect(error.isInterruptionError)
        #expect(error.sql == StatementGate.longQuery)
        #expect(try queue.rowCount() == 0)
    }

    @Test func anInterruptedReadKeepsItsTransaction() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let read = Background {
            try pool.read { db in
                try #expect(db.rowCount() == 0)
                let error = Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
                #expect(db.isInsideTransaction)
                try pool.write { db in try db.insert(1) }
                return try db.rowCount()
            }
        }
        try interrupt(pool, at: gate)
        #expect(try read.value() == 0)
        #expect(try pool.rowCount() == 1)
    }

    @Test func afterAnInterruptedInsertTheLaterStatementsOfTheWriteThrow() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let write = Background {
            try pool.write { db in
                try db.insert(1)
                let error = Self.interruptionError(of: Self.longInsert, on: db, at: gate)
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
                #expect(!db.isInsideTransaction)
                for sql in ["INSERT INTO t VALUES (2)", "SELECT * FROM t", "BEGIN", "COMMIT"] {
                    let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                    #expect(error?.resultCode == .SQLITE_ABORT)
                    #expect(error?.isInterruptionError == true)
                    #expect(error?.sql == sql)
                }
            }
        }
        try interrupt(pool, at: gate)
        let error = #expect(throws: DatabaseError.self) { try write.value() }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try pool.rowCount() == 0)
        try pool.write { db in try db.insert(3) }
        #expect(try pool.rowCount() == 1)
    }

    @Test func anInterruptedQueryKeepsTheTransactionOfTheWrite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let write = Background {
            try pool.write { db in
                try db.insert(1)
                _ = Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)
                try db.insert(2)
            }
        }
        try interrupt(pool, at: gate)
        try write.value()
        #expect(try pool.rowCount() == 2)
    }

    @Test func afterAnInterruptedManualTransactionStatementsRunInAutocommitMode() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let write = Background {
            try pool.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.insert(1)
                _ = Self.interruptionError(of: Self.longInsert, on: db, at: gate)
                // This statement runs in autocommit mode.
                try db.insert(2)
                let error = #expect(throws: DatabaseError.self) { try db.commit() }
                #expect(error?.resultCode == .SQLITE_ERROR)
            }
        }
        try interrupt(pool, at: gate)
        try write.value()
        #expect(try pool.read { db in try Int.fetchAll(db, sql: "SELECT v FROM t") } == [2])
    }

    @Test func anIdleConnectionIgnoresAnInterrupt() throws {
        let pool = try DatabasePool.withTable(in: folder)
        _ = try pool.rowCount()
        pool.interrupt()
        #expect(try pool.rowCount() == 0)
        try pool.write { db in
            pool.interrupt()
            try db.insert(1)
            pool.interrupt()
        }
        #expect(try pool.rowCount() == 1)
        let interrupts = try #require(pool.status().interrupts)
        #expect(interrupts.requested == 3)
        #expect(interrupts.delivered == 0)
        #expect(interrupts.withoutEffect == 3)
    }

    @Test func oneInterruptAffectsAllConnections() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gates = (0..<3).map { _ in StatementGate() }
        let accesses = gates.enumerated().map { number, gate in
            Background { () -> ResultCode? in
                if number == 0 {
                    return pool.writeWithoutTransaction { db in
                        Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)?
                            .resultCode
                    }
                }
                return try pool.read { db in
                    Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)?
                        .resultCode
                }
            }
        }
        for gate in gates { try gate.awaitStatement() }
        pool.interrupt()
        for gate in gates { gate.resume() }
        for access in accesses { #expect(try access.value() == .SQLITE_INTERRUPT) }
        let status = pool.status()
        #expect(status.interrupts?.requested == 1)
        #expect(status.interrupts?.delivered == 3)
        #expect(status.interrupts?.withoutEffect == 0)
        #expect(status.connections.map(\.interruptCount) == [1, 1, 1])
    }

    @Test func aSnapshotIsInterruptedSeparately() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        let gate = StatementGate()
        let read = Background {
            try snapshot.read { db in
                _ = Self.interruptionError(of: StatementGate.longQuery, on: db, at: gate)
                try pool.write { db in try db.insert(1) }
                return try db.rowCount()
            }
        }
        try gate.awaitStatement()
        snapshot.interrupt()
        gate.resume()
        #expect(try read.value() == 0)
        #expect(snapshot.status().interrupts?.delivered == 1)
        #expect(pool.status().interrupts?.requested == 0)
    }

    @Test func interruptingWhileConnectionsOpenAndCloseIsSafe() throws {
        for _ in 0..<20 {
            let pool = try DatabasePool(path: folder.file())
            let isReady = Gate()
            let interrupter = Background {
                for round in 0..<200 {
                    pool.interrupt()
                    if round == 0 { isReady.open() }
                }
            }
            try isReady.wait()
            // An interrupt may stop the statements of the first read.
            _ = try? pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
            try pool.close()
            try interrupter.value()
        }
    }

    @Test func anInterruptAtTheStartOfAStatementIsNotLost() throws {
        let queue = try DatabaseQueue.withTable()
        queue.inDatabase { db in
            // The order is the same as in a step: first the probe, then SQLite.
            db.probe.beginStep(1)
            queue.interrupt()
            let code = sqlite3_exec(
                db.sqliteConnection,
                """
                WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300000000)
                SELECT count(*) FROM c
                """,
                nil,
                nil,
                nil
            )
            #expect(code == SQLITE_INTERRUPT)
            // The order is the same as at the end of a step. After this point, the interrupt is no
            // longer repeated.
            db.probe.runningStatement.store(0, ordering: .relaxed)
        }
        // Later statements are not affected.
        for _ in 0..<100 { try #expect(queue.rowCount() == 0) }
    }

    @Test func anInterruptThatEndsAPreparationIsCounted() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inDatabase { db in
            try db.insert(1)
            // An interrupt affects later statements only while another statement is running.
            let cursor = try Int.fetchCursor(db, sql: "SELECT v FROM t")
            #expect(try cursor.next() == 1)
            sqlite3_interrupt(db.sqliteConnection)
            let error = #expect(throws: DatabaseError.self) {
                try db.makeStatement(sql: "SELECT v, v FROM t")
            }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
        }
        #expect(queue.status().interrupts?.delivered == 1)
    }

    /// SQLite reports an interrupted `xConnect`, for example of FTS5, as `SQLITE_ERROR`.
    @Test func aCancellationThatEndsTheConnectionOfAVirtualTableIsACancellation() async throws {
        let connection = InterruptedConnection()
        let queue = try DatabaseQueue.withTable()
        let task = Task {
            try await queue.read { db in
                try connection.register(on: db)
                try db.execute(sql: "SELECT * FROM interrupted")
            }
        }
        try connection.hasStarted.wait()
        task.cancel()
        connection.isCanceled.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Without a cancellation, the error is the module's own.
        connection.isCanceled.open()
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { try $0.execute(sql: "SELECT * FROM interrupted") }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
    }

    @Test func aCancellationAtTheStartOfAStatementIsNotLost() async throws {
        let queue = try DatabaseQueue.withTable()
        let hasBegun = Lock(false)
        let isCancelled = Gate()
        // Cancels the task after the access has checked for cancellation and before the first step.
        let observer = RecordingObserver { _ in
            guard !hasBegun.withLock({ $0 }) else { return true }
            hasBegun.withLock { $0 = true }
            try? isCancelled.wait()
            return true
        }
        let box = UncheckedBox(observer)
        let write = Task {
            try await queue.write { db in
                if let observer = box.value { db.add(transactionObserver: observer) }
                try db.execute(
                    sql: """
                        WITH RECURSIVE c(x) AS
                            (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300000000)
                        INSERT INTO t SELECT count(*) FROM c
                        """
                )
            }
        }
        try await eventuallyAsync { hasBegun.withLock { $0 } }
        write.cancel()
        isCancelled.open()
        await #expect(throws: CancellationError.self) { try await write.value }
        try #expect(queue.rowCount() == 0)
    }
}

/// The module of a virtual table whose connection waits for a cancellation, and then fails as
/// FTS5 does if SQLite interrupts the declaration of its columns.
private final class InterruptedConnection: Sendable {
    let hasStarted = Gate()
    let isCanceled = Gate()

    func register(on db: Database) throws {
        var module = sqlite3_module()
        module.xConnect = { _, context, _, _, _, _ in
            guard let context else { return SQLITE_MISUSE }
            let connection = Unmanaged<InterruptedConnection>.fromOpaque(context)
                .takeUnretainedValue()
            connection.hasStarted.open()
            try? connection.isCanceled.wait()
            return SQLITE_ERROR
        }
        // SQLite keeps the pointer to the module for as long as the connection is open.
        let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        kept.initialize(to: module)
        let code = sqlite3_create_module(
            db.sqliteConnection,
            "interrupted",
            kept,
            Unmanaged.passUnretained(self).toOpaque()
        )
        #expect(code == SQLITE_OK)
    }
}
