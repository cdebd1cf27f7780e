import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the errors of deferred transactions on two connections, both of which read and then write
/// (<https://github.com/ept/hermitage>, cases P4, G2-item, and G2).
@Suite(.timeLimit(.minutes(1)))
struct TransactionConflictTests {
    private let folder = TemporaryFolder()

    /// Begins two deferred transactions that have read the table `test`, and calls `body` with their
    /// connections.
    private func withTwoReaders(
        _ first: any DatabaseWriter,
        _ second: any DatabaseWriter,
        _ body: (Database, Database) throws -> Void
    ) throws {
        try first.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE test (id INTEGER PRIMARY KEY, value INTEGER);
                    INSERT INTO test VALUES (1, 10), (2, 20);
                    """
            )
        }
        try first.writeWithoutTransaction { first in
            try second.writeWithoutTransaction { second in
                for db in [first, second] {
                    try db.execute(sql: "BEGIN DEFERRED")
                    try #expect(values(db) == [10, 20])
                }
                try body(first, second)
            }
        }
    }

    private func values(_ db: Database) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT value FROM test ORDER BY id")
    }

    private func errorCode(of sql: String, on db: Database) -> ResultCode? {
        databaseError { try db.execute(sql: sql) }?.extendedResultCode
    }

    private static let writes = [
        ("UPDATE test SET value = 11 WHERE id = 1", "UPDATE test SET value = 12 WHERE id = 1"),
        ("UPDATE test SET value = 11 WHERE id = 1", "UPDATE test SET value = 21 WHERE id = 2"),
        ("INSERT INTO test VALUES (3, 30)", "INSERT INTO test VALUES (4, 42)"),
    ]

    /// A transaction whose snapshot is older than the last commit can never acquire the write lock.
    @Test(arguments: writes, [[true, true], [true, false], [false, false]])
    func aWriteAfterAnOutdatedReadMustBeginAgain(
        writes: (first: String, second: String),
        usesPool: [Bool]
    ) throws {
        let configuration = Configuration.with { $0.journalMode = .wal }
        let writers: [any DatabaseWriter] = try usesPool.map { usesPool -> any DatabaseWriter in
            usesPool
                ? try DatabasePool(path: folder.file(), configuration: configuration)
                : try DatabaseQueue(path: folder.file(), configuration: configuration)
        }
        try withTwoReaders(writers[0], writers[1]) { first, second in
            try first.execute(sql: writes.first)
            let written = try values(first)
            #expect(errorCode(of: writes.second, on: second) == .SQLITE_BUSY)
            try first.execute(sql: "COMMIT")
            try #expect(values(second) == [10, 20])
            #expect(errorCode(of: writes.second, on: second) == .SQLITE_BUSY_SNAPSHOT)
            try second.execute(sql: "ROLLBACK; BEGIN IMMEDIATE")
            try #expect(values(second) == written)
            try second.execute(sql: "\(writes.second); COMMIT")
        }
    }

    /// With a rollback journal, a commit requires that all readers have ended
    /// (<https://sqlite.org/lockingv3.html>).
    @Test(arguments: writes)
    func withARollbackJournalOneOfTwoReadersMustRollBack(first: String, second: String) throws {
        let queues = try (0..<2).map { _ in try DatabaseQueue(path: folder.file()) }
        try withTwoReaders(queues[0], queues[1]) { writer, reader in
            try writer.execute(sql: first)
            let written = try values(writer)
            #expect(errorCode(of: second, on: reader) == .SQLITE_BUSY)
            #expect(errorCode(of: "COMMIT", on: writer) == .SQLITE_BUSY)
            try #expect(values(reader) == [10, 20])
            try reader.execute(sql: "ROLLBACK")
            try writer.execute(sql: "COMMIT")
            try #expect(values(reader) == written)
        }
    }
}
