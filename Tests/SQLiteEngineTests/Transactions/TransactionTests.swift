import CSQLite
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct TransactionTests {
    private struct Mistake: Error {}
    private let folder = TemporaryFolder()

    private func values(_ queue: DatabaseQueue) throws -> [Int] {
        try queue.read { db in try Int.fetchAll(db, sql: "SELECT v FROM t ORDER BY v") }
    }

    @Test func aWriteCommitsWhenItReturns() throws {
        let queue = try DatabaseQueue.withTable()
        let result = try queue.write { db in
            #expect(db.isInsideTransaction)
            try db.insert(1)
            return "result"
        }
        #expect(result == "result")
        #expect(try values(queue) == [1])
    }

    @Test func aWriteRollsBackWhenItThrows() throws {
        let queue = try DatabaseQueue.withTable()
        #expect(throws: Mistake.self) {
            try queue.write { db in
                try db.insert(1)
                throw Mistake()
            }
        }
        #expect(try values(queue) == [])
    }

    @Test func theClosureDeterminesTheOutcomeOfTheTransaction() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inTransaction { db in
            try db.insert(1)
            return .rollback
        }
        try queue.writeInTransaction { db in
            try db.insert(2)
            return .commit
        }
        #expect(try values(queue) == [2])
    }

    @Test func outsideATransactionAnErrorRollsBackOnlyItsStatement() throws {
        let queue = try DatabaseQueue.withTable()
        #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { db in
                try db.insert(1)
                try db.execute(sql: "INSERT INTO t VALUES (2), (1)")
            }
        }
        #expect(try values(queue) == [1])
    }

    @Test func anAccessExecutesItsStatementsInOneTransactionOfTheRequestedKind() throws {
        let queue = try DatabaseQueue.withTable()
        var statements: [String] = []
        queue.inDatabase { db in
            db.trace { statements.append(String($0.description.prefix { $0 != "(" })) }
        }
        try queue.write { db in try db.insert(1) }
        try queue.inTransaction(.exclusive) { _ in .commit }
        try queue.inDatabase { db in
            try db.inTransaction(.exclusive) { .commit }
            db.trace()
        }
        #expect(statements.first?.hasPrefix("BEGIN") == true)
        #expect(statements.dropFirst().first == "INSERT INTO t VALUES ")
        #expect(statements.count == 7)
        #expect(statements.count { $0.hasPrefix("BEGIN EXCLUSIVE") } == 2)
    }

    @Test func aWriteAcquiresTheLockImmediately() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let other = try DatabaseQueue(path: folder.file())
        try pool.write { _ in
            let error = #expect(throws: DatabaseError.self) { try other.write { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        try pool.writeInTransaction(.deferred) { _ in
            try other.write { _ in }
            return .commit
        }
    }

    @Test func aTransactionOfAReaderIsDeferred() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { _ in
            // An immediate transaction would require the lock that the writer holds.
            try pool.unsafeRead { db in
                try db.inTransaction {
                    try #expect(db.rowCount() == 0)
                    return .commit
                }
            }
        }
    }

    @Test func theFirstErrorIsThrown() throws {
        let queue = try DatabaseQueue.withTable()
        #expect(throws: Mistake.self) {
            try queue.inTransaction { db in
                // A second rollback would be an error.
                try db.rollback()
                throw Mistake()
            }
        }
        #expect(throws: Mistake.self) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1), (1) ON CONFLICT DO NOTHING")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                #expect(!db.isInsideTransaction)
                throw Mistake()
            }
        }
        #expect(try values(queue) == [])
    }

    @Test func aRollbackWithoutATransactionHasNoEffect() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inDatabase { db in
            try db.rollback()
            try db.beginTransaction()
            try db.insert(1)
            try db.rollback()
            try db.rollback()
            #expect(!db.isInsideTransaction)
        }
        #expect(try values(queue) == [])
    }

    @Test func aCommitWithoutATransactionIsAnError() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.inDatabase { db in try db.commit() }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
    }

    @Test func transactionsDoNotNest() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                try db.inTransaction { .commit }
            }
        }
        #expect(error?.resultCode == .SQLITE_ERROR)
        #expect(try values(queue) == [])
    }

    @Test func aFailedCommitRollsBack() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                    """
            )
        }
        let sql = "INSERT INTO child VALUES (1)"
        let writeError = #expect(throws: DatabaseError.self) {
            try queue.write { db in try db.execute(sql: sql) }
        }
        #expect(writeError?.resultCode == .SQLITE_CONSTRAINT)
        #expect(writeError?.sql?.hasPrefix("COMMIT") == true)
        let transactionError = #expect(throws: DatabaseError.self) {
            try queue.inTransaction { db in
                try db.execute(sql: sql)
                return .commit
            }
        }
        #expect(transactionError?.resultCode == .SQLITE_CONSTRAINT)
        try queue.inDatabase { db in
            #expect(!db.isInsideTransaction)
            try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM child") == 0)
        }
    }

    @Test func afterSQLiteAbortsATransactionItsStatementsThrow() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.insert(1)
                let conflict = databaseError {
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                }
                #expect(conflict?.resultCode == .SQLITE_CONSTRAINT)
                #expect(!db.isInsideTransaction)
                let refused = databaseError { try db.insert(2) }
                #expect(refused?.resultCode == .SQLITE_ABORT)
                #expect(refused?.message == "Transaction was aborted")
                #expect(
                    databaseError { try db.inSavepoint { .commit } }?.resultCode == .SQLITE_ABORT
                )
                #expect(databaseError { try db.beginTransaction() }?.resultCode == .SQLITE_ABORT)
                #expect(databaseError { _ = try db.rowCount() }?.resultCode == .SQLITE_ABORT)
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try values(queue) == [])
        try queue.write { db in try db.insert(3) }
        #expect(try values(queue) == [3])
    }

    @Test func aTransactionAbortedBySQLiteCanEndWithARollback() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inTransaction { db in
            try db.insert(1)
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            }
            return .rollback
        }
        #expect(try values(queue) == [])
    }

    @Test func afterSQLiteAbortsAManualTransactionStatementsRunInAutocommitMode() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.inDatabase { db in
            try db.beginTransaction()
            try db.insert(1)
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
            }
            try db.insert(2)
            let error = #expect(throws: DatabaseError.self) { try db.commit() }
            #expect(error?.resultCode == .SQLITE_ERROR)
        }
        #expect(try values(queue) == [2])
    }

    @Test func aWriteEndsRunningStatements() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let cursor = try pool.write { db in
            for value in 0..<3 { try db.insert(value) }
            let cursor = try Row.fetchCursor(db, sql: "SELECT v FROM t")
            #expect(try cursor.next() != nil)
            return UncheckedBox(cursor)
        }
        try pool.writeWithoutTransaction { db in
            #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_NONE)
            // There are no readers, so the whole log can be truncated.
            let log = try db.checkpoint(.truncate)
            #expect(log.walFrameCount == 0)
        }
        withExtendedLifetime(cursor) {}
    }
}
