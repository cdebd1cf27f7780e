import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// In a canceled access, `ROLLBACK` ends the transaction that the access has begun.
struct CanceledRollbackTests {
    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"

    /// Runs `body` in an access that is canceled while it executes ``endless``.
    private static func cancelAccess(
        _ body: @escaping @Sendable (Database, _ started: () -> Void) throws -> Void
    ) async throws -> Int? {
        let queue = try DatabaseQueue()
        try await queue.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await queue.writeWithoutTransaction { db in try body(db) { signal.finish() } }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        return try await queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    @Test(
        arguments: [
            ["ROLLBACK"], ["  /* end */ rollback transaction;"], ["ROLLBACK TO s", "ROLLBACK"],
        ],
        [false, true]
    )
    func aTransactionIsRolledBack(statements: [String], hasCursor: Bool) async throws {
        let count = try await Self.cancelAccess { db, started in
            try db.execute(sql: "BEGIN IMMEDIATE; SAVEPOINT s; INSERT INTO t VALUES (1)")
            // An unfinished statement keeps the interrupt in effect.
            let cursor =
                hasCursor ? try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2") : nil
            _ = try cursor?.next()
            do {
                started()
                try db.execute(sql: Self.endless)
            } catch {
                for sql in statements { try db.execute(sql: sql) }
                #expect(!db.isInsideTransaction)
                throw error
            }
        }
        #expect(count == 0)
    }

    @Test func aCachedStatementRollsBack() async throws {
        let count = try await Self.cancelAccess { db, started in
            let rollback = try db.makeStatement(sql: "ROLLBACK")
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
            do {
                started()
                try db.execute(sql: Self.endless)
            } catch {
                try rollback.execute()
                throw error
            }
        }
        #expect(count == 0)
    }

    @Test func otherStatementsDoNotRun() async throws {
        let count = try await Self.cancelAccess { db, started in
            try? {
                started()
                try db.execute(sql: Self.endless)
            }()
            for sql in ["INSERT INTO t VALUES (1)", "COMMIT", "SELECT 1"] {
                #expect(throws: CancellationError.self) { try db.execute(sql: sql) }
            }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(count == 0)
    }

    /// A canceled access may be unable to end its transaction, because `RELEASE` does not run.
    @Test(arguments: [false, true])
    func aTransactionThatIsLeftOpenIsRolledBack(ignoresErrors: Bool) async throws {
        let count = try await Self.cancelAccess { db, started in
            try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (1)")
            do {
                started()
                try db.execute(sql: Self.endless)
            } catch {
                try? db.execute(sql: "ROLLBACK TO s; RELEASE s")
                if !ignoresErrors { throw error }
            }
        }
        #expect(count == 0)
    }
}
