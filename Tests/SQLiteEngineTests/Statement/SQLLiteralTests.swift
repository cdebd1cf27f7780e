import Foundation
import Testing

@testable import SQLiteEngine

struct SQLLiteralTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord, Hashable {
        static let databaseTableName = "play\"er"
        enum CodingKeys: String, CodingKey, ColumnExpression { case id, name }
        var id: Int
        var name: String
    }
    private struct Short: TableRecord {
        static let databaseTableName = "t"
        static var databaseSelection: [any SQLSelectable] { [Column("a"), Column("b")] }
    }

    private func build(_ sql: SQL) throws -> (sql: String, arguments: StatementArguments) {
        try DatabaseQueue().inDatabase { db in try sql.build(db) }
    }

    private func checkSQL(
        _ literal: SQL,
        _ sql: String,
        _ arguments: StatementArguments = [],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let built = try build(literal)
        #expect(built.sql == sql, sourceLocation: location)
        #expect(built.arguments == arguments, sourceLocation: location)
    }

    @Test func valuesAreArguments() throws {
        let (name, none) = ("O'Brien", nil as Int?)
        try checkSQL(
            "a = \(1) AND b = \(name) AND c = \(name.dropFirst()) AND d = \(none)",
            "a = ? AND b = ? AND c = ? AND d = ?",
            [1, "O'Brien", "'Brien", nil]
        )
        try checkSQL(
            "\(Data([1, 2])) \(true) \(DatabaseValue.null)",
            "? ? ?",
            [Data([1, 2]), true, nil]
        )
    }

    @Test func sequencesAreLists() throws {
        try checkSQL("id IN \([1, 2, 3])", "id IN (?,?,?)", [1, 2, 3])
        try checkSQL("id IN \(Set(["a"]))", "id IN (?)", ["a"])
        try checkSQL("id IN \([] as [Int])", "id IN (SELECT NULL WHERE NULL)")
        let mixed: [(any DatabaseValueConvertible)?] = [1, "a", nil]
        try checkSQL("id IN \(mixed)", "id IN (?,?,?)", [1, "a", nil])
        let parts: [SQL] = ["a", "\(1)"]
        try checkSQL("(x, y) = \(parts)", "(x, y) = (a,?)", [1])
    }

    @Test func namesAreQuoted() throws {
        try checkSQL(
            "\(Player.self) \(tableOf: Player(id: 1, name: "a"))",
            "\"play\"\"er\" \"play\"\"er\""
        )
        try checkSQL(
            "\(Column("na\"me")) \(Player.CodingKeys.name) \(identifier: "x y")",
            "\"na\"\"me\" \"name\" \"x y\""
        )
        try checkSQL(
            "SELECT \(columnsOf: Short.self), \(columnsOf: Player.self, tableAlias: "p")",
            "SELECT \"t\".\"a\", \"t\".\"b\", \"p\".*"
        )
        try checkSQL(
            "SELECT \(AllColumns()) FROM \(Short.self as any TableRecord.Type)",
            "SELECT * FROM \"t\""
        )
        try checkSQL(
            "a COLLATE \(DatabaseCollation.unicodeCompare)",
            "a COLLATE swiftCompare"
        )
    }

    @Test func literalsAreCombined() throws {
        let condition: SQL = "score > \(10)"
        var query: SQL = "SELECT * FROM t WHERE \(condition)"
        query += " OR \(literal: condition)"
        query.append(sql: " OR id = :id", arguments: ["id": 7])
        query = query + SQL(sql: " LIMIT ?", arguments: [1])
        let built = try build(query)
        #expect(built.sql == "SELECT * FROM t WHERE score > ? OR score > ? OR id = :id LIMIT ?")
        #expect(built.arguments == [10, 10, 1] + ["id": 7])
        try checkSQL(["a", "\(1)", "b"].joined(separator: ", "), "a, ?, b", [1])
        #expect(SQL("").isEmpty && !query.isEmpty)
    }

    @Test func aNameUsedByTwoPartsIsAnError() throws {
        let part = SQL(sql: ":id", arguments: ["id": 1])
        let error = #expect(throws: DatabaseError.self) { try build(part + part) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test func literalsBecomeStatements() throws {
        try DatabaseQueue().inDatabase { db in
            let injection = "'); DROP TABLE t; --"
            try db.execute(
                literal: "CREATE TABLE t (a, b); INSERT INTO t VALUES (\(1), \(injection))"
            )
            try db.execute(
                literal: """
                    INSERT INTO t VALUES (\(2), \("b")); INSERT INTO t VALUES (\(3), \("c"))
                    """
            )
            let statement = try db.makeStatement(literal: "SELECT b FROM t WHERE a < \(3)")
            #expect(try String.fetchAll(statement) == [injection, "b"])
            for value in 1...3 {
                let query: SQL = "SELECT a FROM t WHERE a = \(value)"
                #expect(try Int.fetchOne(db.cachedStatement(literal: query)) == value)
            }
            let statements = try db.allStatements(literal: "SELECT \(1); SELECT \(2)")
            #expect(try Array(statements.map { try Int.fetchOne($0) }) == [1, 2])
            // If the literal contains no values, the arguments can be set later.
            let later = try db.cachedStatement(literal: "SELECT b FROM t WHERE a = ?")
            #expect(try String.fetchOne(later, arguments: [3]) == "c")
            let error = #expect(throws: DatabaseError.self) {
                try db.makeStatement(literal: "SELECT \(sql: "?")")
                    .execute()
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test func valuesWrittenIntoSQLAreReadBackUnchanged() throws {
        let values: [DatabaseValue] = [
            .null, 0.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue,
            0.1.databaseValue, (-1e300).databaseValue, Double.infinity.databaseValue,
            (-Double.infinity).databaseValue, "".databaseValue, "it''s 'é' \u{1F980}".databaseValue,
            "a\0b".databaseValue, Data([0, 255, 16]).databaseValue, Data([0]).databaseValue,
        ]
        try DatabaseQueue().inDatabase { db in
            for value in values {
                let result = try DatabaseValue.fetchOne(db, sql: "SELECT \(value.sqlLiteral)")
                #expect(result == value || (result == nil && value.isNull), "\(value)")
            }
        }
    }

    @Test func requestsFetchValuesRowsAndRecords() throws {
        try DatabaseQueue().inDatabase { db in
            try db.create(table: Player.databaseTableName) { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
            }
            for (id, name) in [(1, "a"), (2, "b"), (3, "b")] {
                try Player(id: id, name: name).insert(db)
            }
            let minimumID = 2
            let players: SQLRequest<Player> = """
                SELECT * FROM \(Player.self) WHERE \(Player.CodingKeys.id) >= \(minimumID) ORDER BY id
                """
            #expect(try players.fetchAll(db).map(\.id) == [2, 3])
            #expect(try players.fetchOne(db) == Player(id: 2, name: "b"))
            #expect(try players.fetchSet(db).count == 2)
            #expect(try players.fetchCount(db) == 2)
            #expect(try players.fetchCursor(db).next()?.id == 2)
            #expect(try Player.fetchAll(db, players).count == 2)
            let names: SQLRequest<String> = "SELECT name FROM (\(players))"
            #expect(try names.fetchAll(db) == ["b", "b"])
            #expect(try names.fetchSet(db) == ["b"])
            #expect(try String.fetchOne(db, names) == "b")
            let rows = SQLRequest(sql: "SELECT ?, 2 AS two", arguments: [1], cached: true)
            #expect(try rows.fetchOne(db)?["two"] == 2)
            #expect(try Row.fetchAll(db, rows).count == 1)
            let second = rows.adapted { _ in SuffixRowAdapter(fromIndex: 1) }
            #expect(try second.fetchAll(db) == [["two": 2]])
            let renamed = SQLRequest<Row>(
                sql: "SELECT 1 AS a, 2 AS b",
                adapter: ColumnMapping(["x": "b"])
            ).adapted { _ in ColumnMapping(["y": "x"]) }
            #expect(try renamed.fetchOne(db) == ["y": 2])
        }
    }

    @Test func aRequestProvidesItsRegion() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let request: SQLRequest<Int> = "SELECT a FROM t WHERE b > \(1)"
            #expect(try request.databaseRegion(db).description == "t(a,b)")
        }
    }
}
