import TestSupport
import Testing

@testable import SQLiteEngine

/// Runs the Hermitage cases (<https://github.com/ept/hermitage>) in one pool.
///
/// Reads keep the state of their first statement, and writes wait for each other.
@Suite(.timeLimit(.minutes(1)))
struct HermitagePoolTests {
    private let folder = TemporaryFolder()

    private func makePool(keepsReadTransactions: Bool) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.keepsReadTransactions = keepsReadTransactions
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER);
                    INSERT INTO test VALUES (1, 10), (2, 20);
                    """
            )
        }
        return pool
    }

    private func startWrite(_ pool: DatabasePool) -> SteppedAccess {
        SteppedAccess { body in try pool.write(body) }
    }

    private func startRead(_ pool: DatabasePool) -> SteppedAccess {
        SteppedAccess { body in try pool.read(body) }
    }

    private func committedValues(_ pool: DatabasePool) throws -> [Int: Int] {
        let access = startRead(pool)
        let values = try access.values()
        try access.end()
        return values
    }

    @Test(arguments: [true, false])
    func g0TheSecondWriteWaitsForTheFirst(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let first = startWrite(pool)
        try first.run("UPDATE test SET value = 11 WHERE id = 1")
        let second = startWrite(pool)
        try eventually { pool.status().waitingWriters.count == 1 }
        try first.run("UPDATE test SET value = 21 WHERE id = 2")
        try first.end()
        try second.run("UPDATE test SET value = 12 WHERE id = 1")
        #expect(try committedValues(pool) == [1: 11, 2: 21])
        try second.run("UPDATE test SET value = 22 WHERE id = 2")
        try second.end()
        #expect(try committedValues(pool) == [1: 12, 2: 22])
    }

    @Test(arguments: [true, false])
    func g1aAbortedWritesAreNotObserved(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let (writer, reader) = (startWrite(pool), startRead(pool))
        try writer.run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try reader.values() == [1: 10, 2: 20])
        try writer.abandon()
        #expect(try reader.values() == [1: 10, 2: 20])
        try reader.end()
        #expect(try committedValues(pool) == [1: 10, 2: 20])
    }

    @Test(arguments: [true, false])
    func g1bIntermediateWritesAreNotObserved(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let (writer, reader) = (startWrite(pool), startRead(pool))
        try writer.run("UPDATE test SET value = 101 WHERE id = 1")
        #expect(try reader.values() == [1: 10, 2: 20])
        try writer.run("UPDATE test SET value = 11 WHERE id = 1")
        try writer.end()
        #expect(try reader.values() == [1: 10, 2: 20])
        try reader.end()
        #expect(try committedValues(pool) == [1: 11, 2: 20])
    }

    @Test(arguments: [true, false])
    func otvAnObservedTransactionDoesNotVanish(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let first = startWrite(pool)
        try first.run("UPDATE test SET value = 11 WHERE id = 1")
        try first.run("UPDATE test SET value = 19 WHERE id = 2")
        let second = startWrite(pool)
        try first.end()
        let reader = startRead(pool)
        try second.run("UPDATE test SET value = 12 WHERE id = 1")
        #expect(try reader.values(where: "id = 1") == [1: 11])
        try second.run("UPDATE test SET value = 18 WHERE id = 2")
        #expect(try reader.values(where: "id = 2") == [2: 19])
        try second.end()
        #expect(try reader.values() == [1: 11, 2: 19])
        try reader.end()
        #expect(try committedValues(pool) == [1: 12, 2: 18])
    }

    @Test(arguments: [true, false])
    func pmpAPredicateKeepsItsRows(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let reader = startRead(pool)
        #expect(try reader.values(where: "value = 30").isEmpty)
        try pool.write { try $0.execute(sql: "INSERT INTO test VALUES (3, 30)") }
        #expect(try reader.values(where: "value % 3 = 0").isEmpty)
        try reader.end()
        #expect(try committedValues(pool) == [1: 10, 2: 20, 3: 30])
    }

    @Test(arguments: [true, false])
    func p4AWriteReadsThePreviousWrite(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let first = startWrite(pool)
        #expect(try first.values(where: "id = 1") == [1: 10])
        let second = startWrite(pool)
        try eventually { pool.status().waitingWriters.count == 1 }
        try first.run("UPDATE test SET value = 11 WHERE id = 1")
        try first.end()
        #expect(try second.values(where: "id = 1") == [1: 11])
        try second.run("UPDATE test SET value = value + 1 WHERE id = 1")
        try second.end()
        #expect(try committedValues(pool) == [1: 12, 2: 20])
    }

    @Test(arguments: [true, false])
    func gSingleTwoReadsObserveOneState(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let reader = startRead(pool)
        #expect(try reader.values(where: "id = 1") == [1: 10])
        try pool.write { db in
            try db.execute(sql: "UPDATE test SET value = 12 WHERE id = 1")
            try db.execute(sql: "UPDATE test SET value = 18 WHERE id = 2")
        }
        #expect(try reader.values(where: "id = 2") == [2: 20])
        try reader.end()
        #expect(try committedValues(pool) == [1: 12, 2: 18])
    }

    @Test(arguments: [true, false])
    func g2AReaderBetweenTwoWritesObservesASerialState(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let old = startRead(pool)
        #expect(try old.values() == [1: 10, 2: 20])
        try pool.write { try $0.execute(sql: "UPDATE test SET value = value + 5 WHERE id = 2") }
        let new = startRead(pool)
        #expect(try new.values() == [1: 10, 2: 25])
        try pool.write { try $0.execute(sql: "UPDATE test SET value = 0 WHERE id = 1") }
        #expect(try new.values() == [1: 10, 2: 25])
        #expect(try old.values() == [1: 10, 2: 20])
        try old.end()
        try new.end()
        #expect(try committedValues(pool) == [1: 0, 2: 25])
    }
}
