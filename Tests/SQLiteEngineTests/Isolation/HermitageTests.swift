import TestSupport
import Testing

@testable import SQLiteEngine

/// Runs the Hermitage cases (<https://github.com/ept/hermitage>) with connections that share a file
/// in WAL mode.
///
/// SQLite provides each transaction with its own snapshot and serializes writers.
///
/// A transaction that cannot acquire the write lock fails with `SQLITE_BUSY`. If its snapshot is
/// older than the last commit, it can never acquire the lock, fails with `SQLITE_BUSY_SNAPSHOT`,
/// and must begin again. Serializability therefore holds in every case.
@Suite(.timeLimit(.minutes(1)))
struct HermitageTests {
    /// The owners of the connections that run the transactions.
    enum ConnectionOwners: CaseIterable, Sendable {
        /// Each transaction uses a separate queue.
        case queues
        /// Each transaction uses the writer of a separate pool.
        case pools
        /// The first transaction uses a pool's writer, and the other transactions use queues.
        case poolAndQueues
    }

    private let folder = TemporaryFolder()

    /// Begins deferred transactions on the table `test`, each on a separate connection.
    private func beginTransactions(
        _ owners: ConnectionOwners,
        _ count: Int
    ) throws -> [SteppedAccess] {
        let writers: [any DatabaseWriter] = try (0..<count).map { index in
            var configuration = Configuration()
            configuration.journalMode = .wal
            let isPool = owners == .pools || (owners == .poolAndQueues && index == 0)
            return isPool
                ? try DatabasePool(path: folder.file(), configuration: configuration)
                : try DatabaseQueue(path: folder.file(), configuration: configuration)
        }
        try writers[0].write { db in
            try db.execute(
                sql: """
                    CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER);
                    INSERT INTO test VALUES (1, 10), (2, 20);
                    """
            )
        }
        return try writers.map { writer in
            let access = SteppedAccess(on: writer)
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

    /// Returns the content of the table as read by a new connection.
    private func committedValues() throws -> [Int: Int] {
        // The last connection briefly locks the file when it closes.
        let configuration = Configuration.with { $0.busyMode = .timeout(10) }
        let access = SteppedAccess(
            on: try DatabaseQueue(path: folder.file(), configuration: configuration)
        )
        let values = try access.values()
        try access.end()
        return values
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g0WritesDoNotInterleave(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 12 WHERE id = 1") == .SQLITE_BUSY)
        try t[0].run("UPDATE test SET value = 21 WHERE id = 2")
        try commit(t[0])
        #expect(try committedValues() == [1: 11, 2: 21])
        // The second transaction has not read anything yet, so it can write now.
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 22 WHERE id = 2")
        try commit(t[1])
        #expect(try committedValues() == [1: 12, 2: 22])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g1aAbortedWritesAreNotObserved(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        try t[0].run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try t[1].values() == [1: 10, 2: 20])
        try rollBack(t[0])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try commit(t[1])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g1bIntermediateWritesAreNotObserved(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        try t[0].run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try t[1].values() == [1: 10, 2: 20])
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        try commit(t[0])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try commit(t[1])
        #expect(try committedValues() == [1: 11, 2: 20])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g1cInformationDoesNotFlowInCircles(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 22 WHERE id = 2") == .SQLITE_BUSY)
        #expect(try t[0].values(where: "id = 2") == [2: 20])
        #expect(try t[1].values(where: "id = 1") == [1: 10])
        try commit(t[0])
        #expect(
            t[1].errorCode(of: "UPDATE test SET value = 22 WHERE id = 2") == .SQLITE_BUSY_SNAPSHOT
        )
        try rollBack(t[1])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func otvAnObservedTransactionDoesNotVanish(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 3)
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        try t[0].run("UPDATE test SET value = 19 WHERE id = 2")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 12 WHERE id = 1") == .SQLITE_BUSY)
        try commit(t[0])
        #expect(try t[2].values(where: "id = 1") == [1: 11])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        #expect(try t[2].values(where: "id = 2") == [2: 19])
        try t[1].run("UPDATE test SET value = 18 WHERE id = 2")
        #expect(try t[2].values(where: "id = 2") == [2: 19])
        try commit(t[1])
        #expect(try t[2].values() == [1: 11, 2: 19])
        try commit(t[2])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func pmpAPredicateKeepsItsRows(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "value = 30").isEmpty)
        try t[1].run("INSERT INTO test VALUES (3, 30)")
        try commit(t[1])
        #expect(try t[0].values(where: "value % 3 = 0").isEmpty)
        try commit(t[0])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func pmpAWriteWithAnOutdatedPredicateThrows(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[1].values(where: "value = 20") == [2: 20])
        try t[0].run("UPDATE test SET value = value + 10")
        #expect(t[1].errorCode(of: "DELETE FROM test WHERE value = 20") == .SQLITE_BUSY)
        try commit(t[0])
        #expect(t[1].errorCode(of: "DELETE FROM test WHERE value = 20") == .SQLITE_BUSY_SNAPSHOT)
        try rollBack(t[1])
        #expect(try committedValues() == [1: 20, 2: 30])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func p4AnUpdateIsNotLost(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "id = 1") == [1: 10])
        #expect(try t[1].values(where: "id = 1") == [1: 10])
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 12 WHERE id = 1") == .SQLITE_BUSY)
        try commit(t[0])
        #expect(
            t[1].errorCode(of: "UPDATE test SET value = 12 WHERE id = 1") == .SQLITE_BUSY_SNAPSHOT
        )
        // The transaction must begin again. It then reads the value that the other transaction
        // wrote.
        try t[1].run("ROLLBACK")
        try t[1].run("BEGIN IMMEDIATE")
        #expect(try t[1].values(where: "id = 1") == [1: 11])
        try t[1].run("UPDATE test SET value = value + 1 WHERE id = 1")
        try commit(t[1])
        #expect(try committedValues() == [1: 12, 2: 20])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func gSingleTwoReadsObserveOneState(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "id = 1") == [1: 10])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 18 WHERE id = 2")
        try commit(t[1])
        #expect(try t[0].values(where: "id = 2") == [2: 20])
        try commit(t[0])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func gSingleTwoPredicatesObserveOneState(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "value % 5 = 0") == [1: 10, 2: 20])
        try t[1].run("UPDATE test SET value = 12 WHERE value = 10")
        try commit(t[1])
        #expect(try t[0].values(where: "value % 3 = 0").isEmpty)
        try commit(t[0])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func gSingleAWriteAfterAnOutdatedReadThrows(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "id = 1") == [1: 10])
        try t[1].run("UPDATE test SET value = 12 WHERE id = 1")
        try t[1].run("UPDATE test SET value = 18 WHERE id = 2")
        try commit(t[1])
        #expect(t[0].errorCode(of: "DELETE FROM test WHERE value = 20") == .SQLITE_BUSY_SNAPSHOT)
        try rollBack(t[0])
        #expect(try committedValues() == [1: 12, 2: 18])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g2ItemWriteSkewIsPrevented(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values() == [1: 10, 2: 20])
        #expect(try t[1].values() == [1: 10, 2: 20])
        try t[0].run("UPDATE test SET value = 11 WHERE id = 1")
        #expect(t[1].errorCode(of: "UPDATE test SET value = 21 WHERE id = 2") == .SQLITE_BUSY)
        try commit(t[0])
        #expect(
            t[1].errorCode(of: "UPDATE test SET value = 21 WHERE id = 2") == .SQLITE_BUSY_SNAPSHOT
        )
        try rollBack(t[1])
        #expect(try committedValues() == [1: 11, 2: 20])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g2PredicateWriteSkewIsPrevented(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 2)
        #expect(try t[0].values(where: "value % 3 = 0").isEmpty)
        #expect(try t[1].values(where: "value % 3 = 0").isEmpty)
        try t[0].run("INSERT INTO test VALUES (3, 30)")
        #expect(t[1].errorCode(of: "INSERT INTO test VALUES (4, 42)") == .SQLITE_BUSY)
        try commit(t[0])
        #expect(t[1].errorCode(of: "INSERT INTO test VALUES (4, 42)") == .SQLITE_BUSY_SNAPSHOT)
        try rollBack(t[1])
        #expect(try committedValues() == [1: 10, 2: 20, 3: 30])
    }

    @Test(arguments: ConnectionOwners.allCases)
    func g2AReaderBetweenTwoWritersObservesASerialState(owners: ConnectionOwners) throws {
        let t = try beginTransactions(owners, 3)
        #expect(try t[0].values() == [1: 10, 2: 20])
        try t[1].run("UPDATE test SET value = value + 5 WHERE id = 2")
        try commit(t[1])
        #expect(try t[2].values() == [1: 10, 2: 25])
        try commit(t[2])
        #expect(
            t[0].errorCode(of: "UPDATE test SET value = 0 WHERE id = 1") == .SQLITE_BUSY_SNAPSHOT
        )
        try rollBack(t[0])
        #expect(try committedValues() == [1: 10, 2: 25])
    }
}
