import CSQLite
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct QueueReadTests {
    private let folder = TemporaryFolder()

    @Test(
        arguments: [
            "INSERT INTO t VALUES (1)",
            "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c",
            "UPDATE t SET v = 2",
            "DELETE FROM t",
            "INSERT INTO t VALUES (1) RETURNING v",
            "CREATE TABLE u (v)",
            "CREATE TEMP TABLE u (v)",
            "DROP TABLE t",
            "PRAGMA user_version = 3",
            "PRAGMA optimize",
            "pragma main.optimize(0x10002)",
            "VACUUM",
            "REINDEX",
            "ANALYZE",
        ]
    )
    func aReadCannotWrite(sql: String) throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in try db.execute(sql: sql) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        #expect(error?.sql == sql)
        #expect(try queue.rowCount() == 0)
        #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") } == 0)
    }

    @Test func aReadCannotExecuteAStatementThatAWriteCached() throws {
        let queue = try DatabaseQueue.withTable()
        let sql = "INSERT INTO t VALUES (?)"
        try queue.write { db in try db.cachedStatement(sql: sql).execute(arguments: [1]) }
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in try db.cachedStatement(sql: sql).execute(arguments: [2]) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        try queue.write { db in try db.cachedStatement(sql: sql).execute(arguments: [3]) }
        #expect(try queue.read { db in try Int.fetchAll(db, sql: "SELECT v FROM t") } == [1, 3])
    }

    @Test func aReadCannotFetchFromAStatementThatWrites() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in
                try Int.fetchOne(db, sql: "INSERT INTO t VALUES (1) RETURNING v")
            }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func anUnsafeReadOfAQueueCanWrite() async throws {
        let queue = try DatabaseQueue.withTable()
        try unsafeReadSynchronously(queue) { db in try db.insert(1) }
        try await queue.unsafeRead { db in try db.insert(2) }
        let done = Gate()
        queue.asyncUnsafeRead { result in
            try? result.get().insert(3)
            done.open()
        }
        try done.wait()
        try queue.unsafeReentrantRead { db in try db.insert(4) }
        try unsafeReadSynchronously(queue) { db in
            try queue.unsafeReentrantRead { db in try db.insert(5) }
            try db.inTransaction {
                try db.insert(6)
                return .commit
            }
        }
        #expect(try queue.rowCount() == 6)
    }

    private func unsafeReadSynchronously(
        _ reader: some DatabaseReader,
        _ body: (Database) throws -> Void
    ) throws {
        try reader.unsafeRead(body)
    }

    @Test func aReentrantReadIsReadOnlyInsideAReadOnlyAccess() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try queue.unsafeReentrantRead { db in try db.insert(1) }
        }
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in
                try queue.unsafeReentrantRead { db in try db.insert(2) }
            }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        #expect(try queue.rowCount() == 1)
    }

    @Test func anUnsafeReadOfAReadOnlyQueueCannotWrite() throws {
        let configuration = Configuration.with { $0.journalMode = .wal }
        let writingQueue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try writingQueue.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        let queue = try DatabaseQueue(
            path: folder.file(),
            configuration: .with { $0.readonly = true }
        )
        let error = #expect(throws: DatabaseError.self) {
            try queue.unsafeRead { db in try db.insert(1) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func anUnsafeReadOfAPoolCannotWrite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let error = #expect(throws: DatabaseError.self) {
            try pool.unsafeRead { db in try db.insert(1) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
    }

    @Test func writesThroughTheCHandleAreRolledBack() throws {
        let queue = try DatabaseQueue.withTable()
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { db in
                sqlite3_exec(db.sqliteConnection, "INSERT INTO t VALUES (1)", nil, nil, nil)
            }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        #expect(try queue.rowCount() == 0)
    }

    @Test func writingIsPossibleAfterARead() throws {
        let queue = try DatabaseQueue.withTable()
        #expect(throws: DatabaseError.self) { try queue.read { db in try db.insert(1) } }
        try queue.write { db in try db.insert(2) }
        #expect(try queue.rowCount() == 1)
    }

    @Test func alternatingReadsAndWritesReuseStatements() throws {
        let queue = try DatabaseQueue.withTable()
        let select = "SELECT v FROM t"
        let insert = "INSERT INTO t VALUES (?)"
        for value in 0..<20 {
            try queue.write { db in try db.cachedStatement(sql: insert).execute(arguments: [value])
            }
            try queue.read { db in _ = try Int.fetchAll(db.cachedStatement(sql: select)) }
        }
        try queue.writeWithoutTransaction { db in
            for sql in [select, insert] {
                let statement = try db.cachedStatement(sql: sql).sqliteStatement
                #expect(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0) == 0)
                #expect(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 20)
            }
        }
    }

    @Test func aReadCanQueryTheJournalMode() throws {
        let queue = try DatabaseQueue.withTable()
        for sql in ["PRAGMA journal_mode", " pragma  main.Journal_Mode ; "] {
            let mode = try queue.read { db in try String.fetchOne(db, sql: sql) }
            #expect(mode == "memory")
        }
        for sql in ["PRAGMA journal_mode = OFF", "PRAGMA journal_mode(OFF)"] {
            let error = #expect(throws: DatabaseError.self) {
                try queue.read { db in try db.execute(sql: sql) }
            }
            #expect(error?.resultCode == .SQLITE_READONLY)
        }
    }

    @Test func predefinedFunctionsAndCollationsAreAvailable() throws {
        let queue = try DatabaseQueue()
        let words = try queue.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT swiftUppercaseString(column1) FROM (VALUES ('é'), ('b'))
                    ORDER BY column1 COLLATE swiftCaseInsensitiveCompare
                    """
            )
        }
        #expect(words == ["B", "É"])
    }

    @Test func aReadIsATransaction() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.read { db in #expect(db.isInsideTransaction) }
        try queue.unsafeRead { db in #expect(!db.isInsideTransaction) }
        queue.inDatabase { db in #expect(!db.isInsideTransaction) }
    }

    @Test func aReadObservesOneStateWhileAnotherConnectionWrites() throws {
        let configuration = Configuration.with { $0.journalMode = .wal }
        let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v)") }
        let other = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try queue.read { db in
            try #expect(db.rowCount() == 0)
            try other.write { db in try db.insert(1) }
            try #expect(db.rowCount() == 0)
        }
        #expect(try queue.rowCount() == 1)
    }

    @Test func readOnlyScopesNest() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.write { db in
            try db.readOnly {
                try db.readOnly {}
                #expect(throws: DatabaseError.self) { try db.insert(1) }
            }
            try db.insert(2)
        }
        #expect(try queue.rowCount() == 1)
    }

    @Test func theJournalModeChangesOnlyOnRequest() throws {
        let queue = try DatabaseQueue(path: folder.file())
        #expect(queue.status().journalMode == "delete")
        #expect(queue.status().wal == nil)
        let wal = try DatabaseQueue(
            path: folder.file("wal.sqlite"),
            configuration: .with { $0.journalMode = .wal }
        )
        #expect(wal.status().journalMode == "wal")
        #expect(wal.status().wal?.frames != nil)
        try wal.read { db in
            try #expect(Int.fetchOne(db, sql: "PRAGMA synchronous") == 1)
        }
    }

    /// A database in memory has no permissions that the error could explain.
    @Test func theErrorOfAWriteInAReadNamesNoPermissions() throws {
        let queue = try DatabaseQueue()
        let error = #expect(throws: DatabaseError.self) {
            try queue.read { try $0.execute(sql: "CREATE TABLE t (x)") }
        }
        #expect(
            error?.description == "SQLite error 8: attempt to write a readonly database - while "
                + "executing `CREATE TABLE t (x)`"
        )
    }
}
