import SQLiteEngine
import Testing

struct RowAdapterTests {
    private let sql = "SELECT 1 AS id, 'a' AS name, 2 AS id, 'b' AS name, 'c' AS rest"

    private func fetch(_ adapter: any RowAdapter) throws -> Row {
        let db = try Database.inMemory()
        let row = try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
        let rows = try Row.fetchCursor(db, sql: sql, adapter: adapter)
        #expect(try rows.next() == row)
        #expect(try Row.fetchAll(db, sql: sql, adapter: adapter) == [row])
        return row
    }

    @Test func columnsAreSelectedByRangeAndByName() throws {
        #expect(try fetch(RangeRowAdapter(2..<4)) == ["id": 2, "name": "b"])
        #expect(try fetch(RangeRowAdapter(2...4)) == ["id": 2, "name": "b", "rest": "c"])
        #expect(try fetch(SuffixRowAdapter(fromIndex: 3)) == ["name": "b", "rest": "c"])
        #expect(try fetch(ColumnMapping(["x": "REST", "y": "id"])) == ["y": 1, "x": "c"])
        #expect(try fetch(EmptyRowAdapter()).isEmpty)
        let renamed = try fetch(RenameColumnAdapter { $0.uppercased() })
        #expect(Array(renamed.columnNames) == ["ID", "NAME", "ID", "NAME", "REST"])
    }

    @Test func scopesAreSeparateRows() throws {
        let parts = splittingRowAdapters(columnCounts: [2, 2])
        let row = try fetch(
            ScopeAdapter(
                base: parts[0],
                scopes: [
                    "second": parts[1].addingScopes(["deep": parts[2]]),
                    "rest": parts[2],
                ]
            )
        )
        #expect(row.scopes.names.sorted() == ["rest", "second"])
        #expect(row.scopes["second"]?["name"] as String? == "b")
        #expect(row.scopes["deep"] == nil)
        #expect(row.scopesTree["deep"] == ["rest": "c"])
        #expect(row.scopesTree.names == ["deep", "rest", "second"])
        #expect(row.unscoped == ["id": 1, "name": "a"])
        #expect(row.unadapted.count == 5)
        #expect(
            row.debugDescription == """
                ▿ [id:1 name:"a"]
                  unadapted: [id:1 name:"a" id:2 name:"b" rest:"c"]
                  - rest: [rest:"c"]
                  - second: [id:2 name:"b"]
                    - deep: [rest:"c"]
                """
        )
    }

    @Test func valuesAreReadFromTheFirstRemainingColumn() throws {
        let db = try Database.inMemory()
        let adapter = SuffixRowAdapter(fromIndex: 3)
        #expect(try String.fetchOne(db, sql: sql, adapter: adapter) == "b")
        #expect(try String.fetchAll(db, sql: sql, adapter: adapter) == ["b"])
        #expect(try String.fetchSet(db, sql: sql, adapter: adapter) == ["b"])
    }

    @Test func aMissingColumnIsReported() throws {
        let db = try Database.inMemory()
        let error = #expect(throws: DatabaseError.self) {
            try Row.fetchAll(db, sql: "SELECT 1 AS a", adapter: ColumnMapping(["x": "b"]))
        }
        #expect(
            error?.message
                == "Mapping references missing column b. Valid column names are: a."
        )
        #expect(throws: DatabaseError.self) {
            try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: RangeRowAdapter(0..<2))
        }
    }
}
