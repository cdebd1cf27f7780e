import Foundation
import SQLiteEngine
import Testing

struct ValueConversionTests {
    @Test func valuesAreReadBackUnchanged() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ?")
        #expect(try Int64.fetchOne(statement, arguments: [Int64.min]) == Int64.min)
        #expect(try UInt8.fetchOne(statement, arguments: [UInt8.max]) == UInt8.max)
        #expect(try Double.fetchOne(statement, arguments: [0.1]) == 0.1)
        #expect(try Bool.fetchOne(statement, arguments: [true]) == true)
        #expect(try String.fetchOne(statement, arguments: [""]) == "")
        #expect(try String.fetchOne(statement, arguments: ["a\0é😀"]) == "a\0é😀")
        #expect(try Data.fetchOne(statement, arguments: [Data()]) == Data())
        #expect(try Data.fetchOne(statement, arguments: [Data([0, 255])]) == Data([0, 255]))
        #expect(try Int.fetchOne(statement, arguments: [nil]) == nil)
    }

    @Test func emptyValuesAreNotNull() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT typeof(?)")
        #expect(try String.fetchOne(statement, arguments: [""]) == "text")
        #expect(try String.fetchOne(statement, arguments: [Data()]) == "blob")
        #expect(try String.fetchOne(statement, arguments: [nil]) == "null")
    }

    @Test func integersEqualReals() {
        #expect(1.databaseValue == 1.0.databaseValue)
        #expect(1.databaseValue.hashValue == 1.0.databaseValue.hashValue)
        #expect(1.databaseValue != "1".databaseValue)
        #expect(DatabaseValue(value: [1]) == nil)
    }

    @Test func valuesOutOfRangeAreNil() {
        #expect(Int8.fromDatabaseValue(300.databaseValue) == nil)
        #expect(UInt.fromDatabaseValue((-1).databaseValue) == nil)
        #expect(Int64.fromDatabaseValue(9.3e18.databaseValue) == nil)
        #expect(Int64.fromDatabaseValue(1.9.databaseValue) == 1)
        #expect(Bool.fromDatabaseValue("1".databaseValue) == nil)
    }

    /// Reads a value in each way, in code that does not require `StatementColumnConvertible`.
    private func read<T: DatabaseValueConvertible & Hashable>(
        _ type: T.Type,
        _ db: Database,
        sql: String
    ) -> [Result<T?, any Error>] {
        let statement = Result { try db.makeStatement(sql: sql) }
        let request = SQLRequest<T>(sql: sql)
        // The row is valid while its cursor exists.
        let rows = Result { try Row.fetchCursor(db, sql: sql) }
        let row = Result { try rows.get().next() }
        defer { withExtendedLifetime(rows) {} }
        return [
            Result { try T.fetchOne(db, sql: sql) },
            Result { try T.fetchOne(statement.get()) },
            Result { try T.fetchOne(db, request) },
            Result { try T.fetchAll(db, sql: sql).first },
            Result { try T.fetchAll(statement.get()).first },
            Result { try T.fetchAll(db, request).first },
            Result { try T.fetchSet(db, sql: sql).first },
            Result { try T.fetchSet(statement.get()).first },
            Result { try T.fetchSet(db, request).first },
            Result { try T.fetchCursor(db, sql: sql).next() },
            Result { try T.fetchCursor(statement.get()).next() },
            Result { try T.fetchCursor(db, request).next() },
            Result { try row.get()?.decode(T.self, atIndex: 0) },
            Result { try row.get()?.decode(T.self, forColumn: "x") },
            Result { try row.get()?.decode(T.self, forColumn: Column("x")) },
        ]
    }

    /// As in GRDB, the compiler chooses the conversion: SQLite's for types that are known to
    /// conform to `StatementColumnConvertible`, or `fromDatabaseValue`, which rejects the text.
    @Test func textThatIsNotANumberIsZeroOrAnError() throws {
        let db = try Database.inMemory()
        let sql = "SELECT 'one' AS x"
        #expect(try Int.fetchOne(db, sql: sql) == 0)
        #expect(try Int.fetchAll(db, sql: sql) == [0])
        #expect(try Int.fetchSet(db, sql: sql) == [0])
        #expect(try Int.fetchCursor(db, sql: sql).next() == 0)
        #expect(try Int?.fetchAll(db, sql: sql) == [0])
        #expect(try SQLRequest<Int>(sql: sql).fetchAll(db) == [0])
        #expect(try SQLRequest<Int>(sql: sql).fetchOne(db) == 0)
        #expect(try SQLRequest<Int>(sql: sql).fetchSet(db) == [0])
        #expect(try SQLRequest<Int>(sql: sql).fetchCursor(db).next() == 0)
        let rows = try Row.fetchCursor(db, sql: sql)
        let row = try #require(try rows.next())
        #expect(try row.decode(Int.self, atIndex: 0) == 0)
        #expect(row["x"] == 0)
        for result in read(Int.self, db, sql: "SELECT 1 AS x") {
            #expect(try result.get() == 1)
        }
        for result in read(Int.self, db, sql: sql) {
            #expect(throws: RowDecodingError.self) { try result.get() }
        }
    }
}
