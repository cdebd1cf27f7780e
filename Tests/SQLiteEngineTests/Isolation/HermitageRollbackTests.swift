import TestSupport
import Testing

@testable import SQLiteEngine

/// Runs the Hermitage cases (<https://github.com/ept/hermitage>) with queues that share a file with
/// a rollback journal.
///
/// Locks, not snapshots, isolate these transactions.
///
/// A commit requires all readers to end (<https://sqlite.org/lockingv3.html>). Until then, a commit
/// fails with `SQLITE_BUSY` and can be retried. If two transactions have both read and then write,
/// they exclude each other, and one of them must roll back.
@Suite(.timeLimit(.minutes(1)))
struct HermitageRollbackTests {
    private let folder = TemporaryFolder()

    /// Begins deferred transactions on the table `test`, each on a separate queue.
    private func beginTransactions(_ count: Int) throws -> [SteppedAccess] {
        let queues = try (0..<count).map { _ in try DatabaseQueue(path: folder.file()) }
        try queues[0].write { db in
            try db.execute(
                sql: """
                    CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER);
                    INSERT INTO test VALUES (1, 10), (2, 20);
                    """
            )
        }
        return try queues.map { queue in
            let access = SteppedAccess(on: queue)
            try access.run("BEGIN DEFERRED")
            return access
        }
    }

    private func commit(_ access: SteppedAccess) throws {
        try access.run("COMMIT")
        try access.end()
    }

    private func rollBack(_ access: SteppedAccess) throws {
        try access.run("ROLLBACK")
        try access.end()
    }

    private func committedValues() throws -> [Int: Int] {
        let access = SteppedAccess(on: try DatabaseQueue(path: folder.file()))
        let values = try access.values()
        try access.end()
        return values
    }

    @Test func g0WritesDoNotInterleave() throws {
        let t = try beginTransactions(2)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 12 WHERE id = 1") == .SQLITE_BUSY)
        try t[0].run("UPDATE test SET value = 21 WHERE id = 2")
        try commit(t[0])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 22 WHERE id = 2")
        try commit(t[1])
        #expect(try committedValues() == [1: 12, 2: 22])
    }

    @Test func g1aAbortedWritesAreNotObserved() throws {
        let t = try beginTransactions(2)
        try t[0].run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try t[1].values() == [1: 10, 2: 20])
        try rollBack(t[0])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try commit(t[1])
    }

    @Test func g1bACommitWaitsForReaders() throws {
        let t = try beginTransactions(2)
        try t[0].run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try t[1].values() == [1: 10, 2: 20])
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[0].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        #expect(try t[1].values() == [1: 10, 2: 20])
        try commit(t[1])
        try commit(t[0])
        #expect(try committedValues() == [1: 11, 2: 20])
    }

    @Test func g1cInformationDoesNotFlowInCircles() throws {
        let t = try beginTransactions(2)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 22 WHERE id = 2") == .SQLITE_BUSY)
        #expect(try t[0].values(where: "id = 2") == [2: 20])
        #expect(try t[1].values(where: "id = 1") == [1: 10])
        #expect(t[0].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        try rollBack(t[1])
        try commit(t[0])
    }

    @Test func pmpAPredicateKeepsItsRows() throws {
        let t = try beginTransactions(2)
        #expect(try t[0].values(where: "value = 30").isEmpty)
        try t[1].run("INSERT INTO test VALUES (3, 30)")
        #expect(t[1].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        #expect(try t[0].values(where: "value % 3 = 0").isEmpty)
        try commit(t[0])
        try commit(t[1])
        #expect(try committedValues() == [1: 10, 2: 20, 3: 30])
    }

    @Test func otvAnObservedTransactionDoesNotVanish() throws {
        let t = try beginTransactions(3)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        try t[0].run("UPDATE test SET value = 19 WHERE id = 2")
        try commit(t[0])
        #expect(try t[2].values(where: "id = 1") == [1: 11])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 18 WHERE id = 2")
        #expect(t[1].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        #expect(try t[2].values() == [1: 11, 2: 19])
        try commit(t[2])
        try commit(t[1])
        #expect(try committedValues() == [1: 12, 2: 18])
    }

    @Test(
        arguments: [
            // P4, G2-item, and G2.
            ("UPDATE test SET value = 11 WHERE id = 1", "UPDATE test SET value = 12 WHERE id = 1"),
            ("UPDATE test SET value = 11 WHERE id = 1", "UPDATE test SET value = 21 WHERE id = 2"),
            ("INSERT INTO test VALUES (3, 30)", "INSERT INTO test VALUES (4, 42)"),
        ]
    )
    func oneOfTwoReadersThatWriteMustRollBack(first: String, second: String) throws {
        let t = try beginTransactions(2)
        #expect(try t[0].values() == [1: 10, 2: 20])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try t[0].run(first)
        #expect(t[1].errorCode(of: second) == .SQLITE_BUSY)
        #expect(t[0].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        try rollBack(t[1])
        try commit(t[0])
        #expect(try committedValues() != [1: 10, 2: 20])
    }

    @Test func gSingleTwoReadsObserveOneState() throws {
        let t = try beginTransactions(2)
        #expect(try t[0].values(where: "id = 1") == [1: 10])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 18 WHERE id = 2")
        #expect(t[1].errorCode(of: "COMMIT") == .SQLITE_BUSY)
        #expect(try t[0].values(where: "id = 2") == [2: 20])
        try commit(t[0])
        try commit(t[1])
        #expect(try committedValues() == [1: 12, 2: 18])
    }
}
