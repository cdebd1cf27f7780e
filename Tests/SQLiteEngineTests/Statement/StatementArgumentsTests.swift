import Foundation
import SQLiteEngine
import Testing

struct StatementArgumentsTests {
    @Test func positionalValuesAreAssignedFromLeftToRight() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ? || '-' || :b || '-' || ?")
        #expect(try String.fetchOne(statement, arguments: ["a", "b", "c"]) == "a-b-c")
        #expect(try String.fetchOne(statement, arguments: ["x", "y", "z"]) == "x-y-z")
    }

    @Test func namedAndPositionalValuesCanBeCombined() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ? || @b || $b || ?")
        let arguments: StatementArguments = ["a", "c"] + ["b": "B"]
        #expect(try String.fetchOne(statement, arguments: arguments) == "aBBc")
    }

    @Test(arguments: [[], [1], [1, 2, 3]] as [StatementArguments])
    func aWrongNumberOfValuesThrows(arguments: StatementArguments) throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ?, ?")
        let error = #expect(throws: DatabaseError.self) {
            try statement.execute(arguments: arguments)
        }
        let count = arguments.description.count { $0.isNumber }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message == "wrong number of statement arguments: \(count)")
        #expect(error?.sql == "SELECT ?, ?")
    }

    @Test func aMissingNameIsReported() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT :score, :name")
        let error = #expect(throws: DatabaseError.self) {
            try statement.execute(arguments: ["score": 1, "nmae": 2])
        }
        #expect(
            error?.message
                == #"missing statement argument: name; the named arguments are "nmae", "score""#
        )
    }

    @Test func rejectedArgumentsDoNotReplaceThePreviousArguments() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ? + ?")
        try statement.setArguments([1, 2])
        #expect(throws: DatabaseError.self) { try statement.setArguments([5]) }
        #expect(statement.arguments == [1, 2])
        #expect(try Int.fetchOne(statement) == 3)
    }

    @Test func uncheckedArgumentsLeaveMissingValuesNull() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(
            sql: "SELECT coalesce(?, 'none') || coalesce(?, 'none')"
        )
        try statement.setArguments(["a", "b"])
        statement.setUncheckedArguments(["c"])
        #expect(try String.fetchOne(statement) == "cnone")
    }

    @Test func aStatementWithoutItsArgumentsDoesNotRun() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT ?")
        #expect(throws: DatabaseError.self) { try Int.fetchOne(statement) }
    }

    @Test func argumentsRemainForTheNextExecution() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a, b)")
        let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, :b)")
        let text = String(repeating: "long text ", count: 100)
        try statement.execute(arguments: [text, Data(count: 1000)])
        #expect(statement.arguments == [text, Data(count: 1000)])
        // Text is bound without a copy for a single execution, so the next execution must bind it
        // again.
        try statement.execute()
        try statement.execute(arguments: [text] + ["b": Data(count: 1000)])
        try statement.execute(arguments: ["", Data()])
        let rows = try Row.fetchAll(db, sql: "SELECT DISTINCT * FROM t")
        #expect(rows == [["a": text, "b": Data(count: 1000)], ["a": "", "b": Data()]])
    }

    @Test func manyArgumentsAreBound() throws {
        let db = try Database.inMemory()
        try db.execute(sql: "CREATE TABLE t (a)")
        let count = 500
        let marks = Array(repeating: "(?)", count: count).joined(separator: ",")
        let arguments = StatementArguments((0..<count).map { "text \($0)" })
        try db.makeStatement(sql: "INSERT INTO t VALUES \(marks)").execute(arguments: arguments)
        #expect(try Int.fetchOne(db, sql: "SELECT count(DISTINCT a) FROM t") == count)
        #expect(db.maximumStatementArgumentCount >= count)
    }

    @Test func concatenationKeepsBothOperands() {
        let sum: StatementArguments = [1] + [2, 3] + ["a": 4]
        #expect(sum.description == #"["a": 4, 1, 2, 3]"#)
        let replaced = ["a": 1] as StatementArguments &+ ["a": 2]
        #expect(replaced == ["a": 2])
    }
}
