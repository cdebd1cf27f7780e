import SQLiteEngine
import Testing

struct CursorTests {
    private struct Failure: Error {}

    private func makeNumbers(_ count: Int) -> AnyCursor<Int> { AnyCursor(0..<count) }

    @Test func adaptorsMatchThoseOfSequences() throws {
        #expect(try Array(makeNumbers(4).map { $0 * 2 }) == [0, 2, 4, 6])
        #expect(try Array(makeNumbers(6).filter { $0 % 2 == 1 }) == [1, 3, 5])
        #expect(try Array(makeNumbers(6).compactMap { $0 > 3 ? "\($0)" : nil }) == ["4", "5"])
        #expect(try Array(makeNumbers(5).dropFirst()) == [1, 2, 3, 4])
        #expect(try Array(makeNumbers(5).dropFirst(7)) == [])
        #expect(try Array(makeNumbers(5).drop { $0 < 3 }) == [3, 4])
        #expect(try Array(makeNumbers(5).prefix(2)) == [0, 1])
        #expect(try Array(makeNumbers(5).prefix { $0 != 3 }) == [0, 1, 2])
        #expect(try makeNumbers(5).dropLast(2) == [0, 1, 2])
        #expect(try makeNumbers(5).dropLast(9) == [])
        #expect(try makeNumbers(7).suffix(3) == [4, 5, 6])
        #expect(try makeNumbers(2).suffix(3) == [0, 1])
        #expect(try makeNumbers(2).suffix(0) == [])
        #expect(try Array(makeNumbers(3).flatMap { 0..<$0 }) == [0, 0, 1])
        #expect(try Array(makeNumbers(3).flatMap { self.makeNumbers($0) }) == [0, 0, 1])
        #expect(try Array((0..<3).flatMap { self.makeNumbers($0) }) == [0, 0, 1])
        #expect(try Array(AnyCursor([[1], [], [2, 3]]).joined()) == [1, 2, 3])
        #expect(try Array(makeNumbers(2).enumerated().map { [$0.0, $0.1] }) == [[0, 0], [1, 1]])
    }

    /// A cursor whose statement has failed does not start again at the first row.
    @Test(arguments: 1...3)
    func aCursorStaysEndedAfterAnError(failingRow: Int) throws {
        try DatabaseQueue().read { (db: Database) throws -> Void in
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { values in
                    let value = Int.fromDatabaseValue(values[0])
                    if value == failingRow { throw DatabaseError(message: "row \(failingRow)") }
                    return value
                }
            )
            let sql = "SELECT f(x) AS x FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3)"
            let cursors: [AnyCursor<Int>] = [
                AnyCursor(try Int.fetchCursor(db, sql: sql)),
                AnyCursor(try Row.fetchCursor(db, sql: sql).map { $0["x"] }),
                AnyCursor(try Number.fetchCursor(db, sql: sql).map(\.x)),
            ]
            for cursor in cursors {
                for value in 1..<failingRow { #expect(try cursor.next() == value) }
                for _ in 0..<3 {
                    let error = databaseError { _ = try cursor.next() }
                    #expect(error?.message == "row \(failingRow)")
                }
            }
        }
    }

    /// A value that cannot be decoded does not end the cursor.
    @Test func aCursorContinuesAfterAValueThatCannotBeDecoded() throws {
        try DatabaseQueue().read { db in
            let cursor = try UInt8.fetchCursor(
                db,
                sql: "SELECT 1 UNION ALL SELECT 300 UNION ALL SELECT 3"
            )
            #expect(try cursor.next() == 1)
            #expect(throws: RowDecodingError.self) { _ = try cursor.next() }
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
        }
    }

    private struct Number: Decodable, FetchableRecord { let x: Int }

    /// A cursor that counts its calls to `next`.
    private final class CountingCursor: Cursor {
        private(set) var nextCount = 0

        func next() throws -> Int? {
            nextCount += 1
            return nil
        }

        func forEach(_ body: (Int) throws -> Void) throws {
            for number in 0..<4 { try body(number) }
        }
    }

    @Test func adaptorsVisitAllElementsInOneCall() throws {
        let cursor = CountingCursor()
        #expect(try Array(cursor.map { $0 * 2 }) == [0, 2, 4, 6])
        #expect(try Array(cursor.filter { $0 > 1 }) == [2, 3])
        #expect(try Array(cursor.compactMap { $0 > 1 ? $0 : nil }) == [2, 3])
        #expect(try Array(cursor.enumerated().map { $0.0 }) == [0, 1, 2, 3])
        #expect(try Array(AnyCursor(cursor)) == [0, 1, 2, 3])
        #expect(cursor.nextCount == 0)
    }

    @Test func cursorsCanBeReducedToValues() throws {
        #expect(try makeNumbers(4).reduce(0, +) == 6)
        #expect(try makeNumbers(3).reduce(into: "") { $0 += "\($1)" } == "012")
        #expect(try makeNumbers(4).max() == 3)
        #expect(try makeNumbers(4).min() == 0)
        #expect(try makeNumbers(0).max() == nil)
        #expect(try makeNumbers(4).contains(2))
        #expect(try !makeNumbers(4).contains { $0 > 3 })
        #expect(try makeNumbers(4).first { $0 > 1 } == 2)
        #expect(try makeNumbers(0).isEmpty)
        #expect(try AnyCursor(["a", "b"]).joined(separator: ", ") == "a, b")
        #expect(try Set(makeNumbers(3)) == [0, 1, 2])
        #expect(try Set([1, 7]).intersection(makeNumbers(3)) == [1])
        #expect(try Set([7]).union(makeNumbers(2)) == [0, 1, 7])
        #expect(try Dictionary(grouping: makeNumbers(4)) { $0 % 2 } == [0: [0, 2], 1: [1, 3]])
        let pairs = makeNumbers(2).map { ($0, "\($0)") }
        #expect(try Dictionary(uniqueKeysWithValues: pairs) == [0: "0", 1: "1"])
    }

    @Test func anErrorEndsTheIteration() throws {
        let cursor = makeNumbers(4).map { if $0 == 2 { throw Failure() } else { $0 } }
        #expect(throws: Failure.self) { try Array(cursor) }
        #expect(try cursor.next() == 3)
    }

    @Test func valuesAreReadStepByStep() throws {
        let db = try Database.inMemory()
        let sql = "SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 3"
        let values = try Int?.fetchCursor(db, sql: sql)
        #expect(try values.next() == .some(1))
        #expect(try values.next() == .some(nil))
        #expect(try values.next() == .some(3))
        #expect(try values.next() == nil)
        #expect(try values.next() == nil)
        #expect(try Int?.fetchAll(db, sql: sql) == [1, nil, 3])
        #expect(try Int?.fetchSet(db, sql: sql) == [1, nil, 3])
        #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: sql) }
    }

    @Test func aReleasedCursorEndsItsStatement() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let statement = try db.makeStatement(sql: "SELECT a FROM t")
        do {
            let values = try Int.fetchCursor(statement)
            #expect(try values.next() == 1)
        }
        // A running statement would lock the table.
        try db.execute(sql: "DROP TABLE t")
    }

    @Test func aStatementHasOneCursorAtATime() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 9")
        var first: FastDatabaseValueCursor<Int>? = try Int.fetchCursor(statement, arguments: [1])
        #expect(try first?.next() == 1)
        let second = try Int.fetchCursor(statement, arguments: [2])
        #expect(try second.next() == 2)
        let error = #expect(throws: DatabaseError.self) { try first?.next() }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        first = nil
        #expect(try second.next() == 9)
    }

    @Test func statementsOfAScriptAreReturnedOneByOne() throws {
        let db = try Database.inMemory()
        let script = "CREATE TABLE t (a); INSERT INTO t VALUES (?); SELECT a FROM t"
        let statements = try db.allStatements(sql: script, arguments: [5])
        try statements.next()?.execute()
        try statements.next()?.execute()
        let last = try #require(try statements.next())
        #expect(try Int.fetchOne(last) == 5)
        #expect(try statements.next() == nil)
    }
}
