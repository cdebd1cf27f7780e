import SQLiteEngine
import Testing

struct DatabaseErrorTests {
    @Test func aPrimaryCodeMatchesItsExtendedCodes() {
        #expect(ResultCode.SQLITE_CONSTRAINT ~= .SQLITE_CONSTRAINT_UNIQUE)
        #expect(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= .SQLITE_CONSTRAINT))
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue == 2067)
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode == .SQLITE_CONSTRAINT)
        #expect(
            ResultCode.SQLITE_CONSTRAINT_UNIQUE.description
                == "2067 (SQLITE_CONSTRAINT_UNIQUE: constraint failed)"
        )
    }

    @Test func aViolationReportsItsConstraint() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
        do {
            try db.execute(sql: " INSERT INTO t VALUES (?); ", arguments: [1])
            Issue.record("no error")
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
        }
        let error = #expect(throws: DatabaseError.self) {
            try db.execute(sql: " INSERT INTO t VALUES (?); ", arguments: [1])
        }
        let text = """
            SQLite error 19: UNIQUE constraint failed: t.a \
            - while executing `INSERT INTO t VALUES (?)`
            """
        #expect(error?.description == text)
        #expect(error?.expandedDescription == text + " with arguments [1]")
    }

    @Test func argumentsAreShownOnRequest() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let db = try Database.inMemory(configuration: configuration)
        try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
        let error = #expect(throws: DatabaseError.self) {
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [1])
        }
        #expect(error?.description.hasSuffix("with arguments [1]") == true)
    }

    @Test func anErrorInSQLShowsTheSQL() throws {
        let db = try Database.inMemory()
        let error = #expect(throws: DatabaseError.self) {
            try db.execute(sql: "SELECT 1; SELEKT 2")
        }
        #expect(error?.sql == " SELEKT 2")
        #expect(error?.resultCode == .SQLITE_ERROR)
    }

    @Test func interruptionsAreRecognized() {
        #expect(DatabaseError(resultCode: .SQLITE_ABORT_ROLLBACK).isInterruptionError)
        #expect(DatabaseError(resultCode: .SQLITE_INTERRUPT).isInterruptionError)
        #expect(!DatabaseError(resultCode: .SQLITE_BUSY).isInterruptionError)
    }
}
