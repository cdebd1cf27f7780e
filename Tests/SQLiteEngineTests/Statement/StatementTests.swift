import CSQLite
import SQLiteEngine
import Testing

struct StatementTests {
    @Test func severalStatementsConsumeTheirArgumentsInOrder() throws {
        let db = try Database.inMemory()
        try db.execute(
            sql: """
                CREATE TABLE t (a, b);
                INSERT INTO t VALUES (?, :name);  -- one
                INSERT INTO t VALUES (?, :name);
                """,
            arguments: [1, 2] + ["name": "x"]
        )
        #expect(try String.fetchAll(db, sql: "SELECT a || b FROM t") == ["1x", "2x"])
    }

    @Test func unusedArgumentsThrow() throws {
        let db = try Database.inMemory()
        #expect(throws: DatabaseError.self) {
            try db.execute(sql: "SELECT ?; SELECT ?", arguments: [1, 2, 3])
        }
    }

    @Test(arguments: ["SELECT 1; SELECT 2", "SELECT 1; nonsense"])
    func aSecondStatementThrows(sql: String) throws {
        let db = try Database.inMemory()
        let error = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: sql) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message?.hasPrefix("Multiple statements found.") == true)
    }

    @Test(arguments: [" ; ", "-- nothing", ""])
    func sqlWithoutAStatementIsAnError(sql: String) throws {
        let db = try Database.inMemory()
        let error = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: sql) }
        #expect(error?.message == "empty statement")
    }

    @Test func textAfterNULIsNotIgnored() throws {
        let db = try Database.inMemory()
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1\0; DROP TABLE t") }
        #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT 1;\0garbage") }
    }

    @Test func whitespaceAndCommentsAreNotStatements() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "\n ; SELECT 1 ; ; /* end */ -- end")
        #expect(try Int.fetchOne(statement) == 1)
    }

    @Test func columnNamesAreUpdatedAfterASchemaChange() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let statement = try db.makeStatement(sql: "SELECT * FROM t")
        #expect(statement.columnNames == ["a"])
        try db.execute(sql: "ALTER TABLE t ADD COLUMN B")
        #expect(try Int.fetchAll(statement) == [1])
        #expect(statement.columnNames == ["a", "B"])
        #expect(statement.index(ofColumn: "b") == 1)
        #expect(statement.columnCount == 2)
    }

    @Test func fetchOneEndsTheReadTransaction() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let statement = try db.makeStatement(sql: "SELECT a FROM t")
        #expect(try Int.fetchOne(statement) == 1)
        // A running statement would lock the table.
        try db.execute(sql: "DROP TABLE t")
    }

    @Test func fetchOneCommitsItsInsertions() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a)")
        let id = try Int.fetchOne(db, sql: "INSERT INTO t VALUES (7) RETURNING rowid")
        #expect(id == 1)
        #expect(!db.isInsideTransaction)
        #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [7])
    }

    @Test func aValueOfTheWrongTypeIsReportedAsAnErrorWithItsColumn() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT 300 AS a, 'x' AS b WHERE 1 = ?")
        let error = #expect(throws: RowDecodingError.self) {
            try Int8.fetchOne(statement, arguments: [1])
        }
        #expect(
            error?.description == """
                could not decode Optional<Int8> from database value 300 - column: "a", column index: 0, \
                row: [a:300 b:"x"], sql: `SELECT 300 AS a, 'x' AS b WHERE 1 = ?`, arguments: [1]
                """
        )
        #expect(try Int.fetchOne(statement) == 300)
    }

    @Test func optimizeIsTreatedAsAWrite() throws {
        let db = try Database.inMemory()
        for sql in ["PRAGMA optimize", "/* x */ pragma main . \"optimize\" (0xfffe)"] {
            let statement = try db.makeStatement(sql: sql)
            #expect(statement.isReadonly)
            #expect(throws: DatabaseError.self) {
                try db.refusingWrites { try statement.execute() }
            }
        }
        try db.refusingWrites { try db.execute(sql: "PRAGMA user_version; SELECT 'optimize'") }
    }

    @Test func anEndedStatementIsNotAffectedByALaterInterrupt() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            // While a statement runs, SQLite keeps the interrupt flag set.
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            _ = try rows.next()
            let connection = db.sqliteConnection
            db.trace(options: .profile) { event in
                if event.description.contains("BEGIN") { sqlite3_interrupt(connection) }
            }
            try db.execute(sql: "BEGIN DEFERRED TRANSACTION; \n")
            #expect(db.isInsideTransaction)
            db.trace()
            #expect(throws: DatabaseError.self) { try rows.next() }
            try db.rollback()
        }
    }
}
