import Foundation
import Testing

@testable import SQLiteEngine

struct FunctionTests {
    private struct Failure: Error, CustomStringConvertible {
        var description: String { "it failed" }
    }

    /// An aggregate that joins strings and counts its live states.
    private struct Joined: DatabaseAggregate {
        final class State {
            /// Not protected, because only one test uses this count, on one thread.
            nonisolated(unsafe) static var liveCount = 0
            var parts: [String] = []
            init() { Self.liveCount += 1 }
            deinit { Self.liveCount -= 1 }
        }

        var state = State()

        mutating func step(_ dbValues: [DatabaseValue]) throws {
            guard let text = String.fromDatabaseValue(dbValues[0]) else { throw Failure() }
            state.parts.append(text)
        }

        func finalize() -> (any DatabaseValueConvertible)? {
            state.parts.joined(separator: "+")
        }
    }

    @Test func argumentsAndResultsAreConverted() throws {
        let db = try Database.inMemory()
        db.add(function: DatabaseFunction("echo", argumentCount: 1) { $0[0] })
        let values: [DatabaseValue] = [
            .null, 1.databaseValue, 0.5.databaseValue, "a\0é".databaseValue, "".databaseValue,
            Data([0, 1]).databaseValue, Data().databaseValue,
        ]
        for value in values {
            let result = try DatabaseValue.fetchOne(db, sql: "SELECT echo(?)", arguments: [value])
            #expect(result == value)
        }
        db.add(function: DatabaseFunction("count_them") { $0.count })
        #expect(try Int.fetchOne(db, sql: "SELECT count_them(1, 2, 3)") == 3)
    }

    @Test func errorsMakeTheStatementFail() throws {
        let db = try Database.inMemory()
        db.add(function: DatabaseFunction("fail") { _ in throw Failure() })
        db.add(
            function: DatabaseFunction("refuse") { _ in
                throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK, message: "refused")
            }
        )
        let failure = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT fail()") }
        #expect(failure?.message == "it failed")
        let refusal = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT refuse()") }
        #expect(refusal?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
        #expect(refusal?.message == "refused")
    }

    @Test func aggregatesHandleGroupsAndReleaseTheirStates() throws {
        let db = try Database.inMemory()
        let function = DatabaseFunction("joined", argumentCount: 1, aggregate: Joined.self)
        db.add(function: function)
        let table = "(SELECT 1 AS g, 'a' AS v UNION ALL SELECT 1, 'b' UNION ALL SELECT 2, 'c')"
        let sql = "SELECT joined(v) FROM \(table) GROUP BY g"
        #expect(try String.fetchAll(db, sql: sql) == ["a+b", "c"])
        #expect(try String.fetchOne(db, sql: "SELECT joined(v) FROM \(table) WHERE 0") == "")
        #expect(throws: DatabaseError.self) {
            try db.execute(sql: "SELECT joined(v) FROM (SELECT 'a' AS v UNION ALL SELECT NULL)")
        }
        #expect(Joined.State.liveCount == 0)
        db.remove(function: function)
        #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
    }

    @Test func collationsOrderStrings() throws {
        let db = try Database.inMemory()
        let collation = DatabaseCollation("backwards") { $1.compare($0) }
        db.add(collation: collation)
        let sql = """
            SELECT v FROM (SELECT 'a' AS v UNION ALL SELECT 'c' UNION ALL SELECT 'b')
            ORDER BY v COLLATE BACKWARDS
            """
        #expect(try String.fetchAll(db, sql: sql) == ["c", "b", "a"])
        #expect(collation.id == DatabaseCollation("Backwards") { $0.compare($1) }.id)
        db.remove(collation: collation)
        #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
    }

    @Test func predefinedFunctionsSupportUnicode() throws {
        let db = try Database.inMemory()
        try db.addPredefinedFunctionsAndCollations()
        let sql = "SELECT swiftUppercaseString('é') || swiftLowercaseString('É')"
        #expect(try String.fetchOne(db, sql: sql) == "Éé")
        #expect(try String.fetchOne(db, sql: "SELECT swiftCapitalizedString('a b')") == "A B")
        let equal = "SELECT 'e\u{301}' = '\u{E9}' COLLATE swiftCompare"
        #expect(try Bool.fetchOne(db, sql: equal) == true)
        let numbers = "SELECT 'file 9' < 'file 10' COLLATE swiftLocalizedStandardCompare"
        #expect(try Bool.fetchOne(db, sql: numbers) == true)
    }
}
