import Foundation
import SQLiteEngine
import Testing

struct RowTests {
    private let sql = "SELECT 1 AS a, 'two' AS B, 3.5 AS c, NULL AS d, x'00ff' AS e, 6 AS A"

    /// Calls `body` with the same row from a cursor, as a copy, and from a literal.
    private func withEachKind(_ body: (Row) throws -> Void) throws {
        let db = try Database.inMemory()
        let rows = try Row.fetchCursor(db, sql: sql)
        try body(#require(try rows.next()))
        try body(#require(try Row.fetchOne(db, sql: sql)))
        try body(["a": 1, "B": "two", "c": 3.5, "d": nil, "e": Data([0, 255]), "A": 6])
    }

    @Test func valuesAreFoundByIndexAndByName() throws {
        try withEachKind { row in
            #expect(row.count == 6)
            #expect(row[0] as Int == 1)
            #expect(row["b"] as String == "two")
            #expect(row["B"] as String? == "two")
            #expect(row["C"] as Double == 3.5)
            #expect(row["d"] as Int? == nil)
            #expect(row["d"] == nil)
            #expect(row["e"] as Data == Data([0, 255]))
            #expect(row["nothing"] as Int? == nil)
            #expect(row["nothing"] == nil)
            #expect(row[1] as? String == "two")
            #expect(row.hasColumn("E"))
            #expect(row.hasNull(atIndex: 3))
            #expect(!row.hasNull(atIndex: 1))
        }
    }

    @Test func theLeftmostColumnWithANameTakesPrecedence() throws {
        try withEachKind { row in
            #expect(row["A"] as Int == 1)
            #expect(row["a"] as Int == 1)
        }
    }

    @Test func columnsOfWideRowsAreFoundByName() throws {
        let db = try Database.inMemory()
        let columns = (0..<40).map { "\($0) AS C\($0)" }.joined(separator: ", ")
        let row = try #require(try Row.fetchOne(db, sql: "SELECT \(columns)"))
        #expect((0..<40).allSatisfy { row["c\($0)"] as Int == $0 })
    }

    @Test func rowsAreCollectionsOfColumns() throws {
        try withEachKind { row in
            #expect(Array(row.columnNames) == ["a", "B", "c", "d", "e", "A"])
            #expect(row.databaseValues.first == 1.databaseValue)
            #expect(row.description == "[a:1 B:\"two\" c:3.5 d:NULL e:Data(2 bytes) A:6]")
            #expect(row.debugDescription == row.description)
            #expect(row == row.copy())
            #expect(row.hashValue == row.copy().hashValue)
        }
        #expect(["a": 1, "b": 2] as Row != ["b": 2, "a": 1] as Row)
    }

    @Test func aWrongTypeThrowsAnErrorThatReportsItsColumn() throws {
        let row: Row = ["a": 1, "b": "x"]
        let error = #expect(throws: RowDecodingError.self) {
            try row.decode(Int.self, forColumn: "B")
        }
        #expect(
            error?.description == """
                could not decode Int from database value "x" - \
                column: "b", column index: 1, row: [a:1 b:"x"]
                """
        )
        let missing = #expect(throws: RowDecodingError.self) {
            try row.decode(Int.self, forColumn: "c")
        }
        #expect(missing?.description == #"column not found: "c" - row: [a:1 b:"x"]"#)
    }

    @Test func aWrongTypeInASubscriptIsFatal() async {
        await #expect(processExitsWith: .failure) {
            let row: Row = ["a": "x"]
            print(row["a"] as Int)
        }
    }

    @Test func theFirstValueThatIsNotNullIsReturned() throws {
        try withEachKind { row in
            #expect(row.coalesce(["nothing", "d", "A", "B"]) == 1)
            #expect(row.coalesce(["nothing", "d"]) as Int? == nil)
        }
    }

    @Test func aWrongTypeInCoalesceIsFatal() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            let db = try Database.inMemory()
            let rows = try Row.fetchCursor(db, sql: "SELECT 'x' AS a")
            _ = try rows.next()?.coalesce(["a"]) as Int?
        }
        #expect(result?.message.contains("could not decode Optional<Int> from") == true)
    }

    @Test func theRowOfACursorChangesWithEachStepButACopyDoesNot() throws {
        let db = try Database.inMemory()
        let rows = try Row.fetchCursor(db, sql: "SELECT 'one' UNION ALL SELECT 'two'")
        let first = try #require(try rows.next())
        let copy = first.copy()
        let second = try #require(try rows.next())
        #expect(first === second)
        #expect(second[0] as String == "two")
        #expect(copy[0] as String == "one")
        #expect(try rows.next() == nil)
        #expect(try rows.next() == nil)
    }

    @Test func fetchedRowsOutliveTheirStatement() throws {
        let db = try Database.inMemory()
        let rows = try Row.fetchAll(
            db,
            sql: """
                WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100)
                SELECT x, 'text ' || x || hex(zeroblob(x)), zeroblob(x), '', x'' FROM c
                """
        )
        #expect(rows.count == 100)
        for (index, row) in rows.enumerated() {
            let x = index + 1
            #expect(row[0] as Int == x)
            #expect(row[1] as String == "text \(x)" + String(repeating: "00", count: x))
            #expect(row[2] as Data == Data(count: x))
            #expect(row[3] as String == "")
            #expect(row[4] as Data == Data())
        }
    }

    @Test func dataOutlivesItsRow() throws {
        let db = try Database.inMemory()
        var row = try Row.fetchOne(db, sql: "SELECT x'\(String(repeating: "ab", count: 100))'")
        let data: Data = try #require(row)[0]
        let borrowed = row?.dataNoCopy(atIndex: 0)
        row = nil
        #expect(data == Data(repeating: 0xab, count: 100))
        #expect(borrowed == data)
    }

    @Test func columnsAreUpdatedAfterASchemaChange() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let sql = "SELECT * FROM t"
        #expect(try Row.fetchAll(db.cachedStatement(sql: sql)) == [["a": 1]])
        try db.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT 2")
        let expected: Row = ["a": 1, "b": 2]
        #expect(try Row.fetchAll(db.cachedStatement(sql: sql)) == [expected])
        #expect(try Row.fetchOne(db.cachedStatement(sql: sql)) == expected)
        try db.execute(sql: "ALTER TABLE t RENAME COLUMN b TO c")
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
        #expect(try rows.next() == ["a": 1, "c": 2])
    }
}
