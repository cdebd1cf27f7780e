import Foundation
import Testing

@testable import SQLiteEngine

/// Tests the tables that the table builder creates, as SQLite reports them.
struct TableDefinitionTests {
    private let queue: DatabaseQueue

    init() throws { queue = try DatabaseQueue() }

    private func sql(of name: String, _ db: Database) throws -> String? {
        try String.fetchOne(
            db,
            sql: "SELECT sql FROM sqlite_master WHERE name = ?",
            arguments: [name]
        )
    }

    private func expectViolation(
        _ db: Database,
        _ sql: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: DatabaseError.self, sourceLocation: location) {
            try db.execute(sql: sql)
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT, sourceLocation: location)
    }

    @Test func columnsOfAllKindsAreDefined() throws {
        try queue.write { db in
            try db.create(table: "team") { t in t.primaryKey("code", .text) }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().collate(.nocase)
                t.column("score", .integer).defaults(to: -5).check { "\($0) < 100" }
                t.column("title", .text).defaults(to: "O'Brien; DROP TABLE team")
                t.column("made", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
                t.column("double", .integer).generatedAs(sql: "score * 2", .stored)
                t.column("any")
                t.column("team", .text).references("team", onDelete: .cascade)
                t.column(sql: "raw BLOB DEFAULT X'01'")
                t.uniqueKey(["name", "team"])
                t.check(sql: "title <> ''")
            }
            try db.execute(sql: "INSERT INTO team VALUES ('a')")
            try db.execute(sql: "INSERT INTO player (name, team) VALUES ('Ada', 'a')")
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player"))
            #expect(row["id"] == 1 && row["score"] == -5 && row["double"] == -10)
            #expect(row["title"] == "O'Brien; DROP TABLE team")
            #expect(row["made"] as String? != nil)
            #expect(row["raw"] == Data([1]))
            expectViolation(db, "INSERT INTO player (name) VALUES (NULL)")
            expectViolation(db, "INSERT INTO player (name, score) VALUES ('B', 100)")
            expectViolation(db, "INSERT INTO player (name, title) VALUES ('B', '')")
            expectViolation(db, "INSERT INTO player (name, team) VALUES ('B', 'nowhere')")
            expectViolation(db, "INSERT INTO player (name, team) VALUES ('ADA', 'a')")
            try db.execute(sql: "DELETE FROM team")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player") == 0)
        }
    }

    @Test func aKeyOfSeveralColumnsIsNeverNull() throws {
        try queue.write { db in
            try db.create(table: "seat", options: .withoutRowID) { t in
                t.primaryKey(onConflict: .replace) {
                    t.column("row", .integer)
                    t.column("number", .integer)
                }
                t.column("guest", .text)
            }
            try db.execute(sql: "INSERT INTO seat VALUES (1, 2, 'a'), (1, 2, 'b')")
            #expect(try String.fetchAll(db, sql: "SELECT guest FROM seat") == ["b"])
            expectViolation(db, "INSERT INTO seat VALUES (1, NULL, 'c')")
            let key = try db.primaryKey("seat")
            #expect(key.columns == ["row", "number"] && !key.tableHasRowID)
            #expect(try db.columns(in: "seat").map(\.isNotNull) == [true, true, false])
        }
    }

    @Test func aDeferredForeignKeyIsCheckedOnCommit() throws {
        try queue.inDatabase { db in
            try db.create(table: "parent") { t in
                t.column("a").notNull()
                t.column("b").notNull()
                t.primaryKey(["a", "b"])
            }
            try db.create(table: "child") { t in
                t.column("a")
                t.column("b")
                t.foreignKey(["a", "b"], references: "parent", onUpdate: .cascade, deferred: true)
            }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO child VALUES (1, 2)")
                try db.execute(sql: "INSERT INTO parent VALUES (1, 2)")
                return .commit
            }
            try db.execute(sql: "UPDATE parent SET a = 7")
            #expect(try Int.fetchOne(db, sql: "SELECT a FROM child") == 7)
            #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "DELETE FROM parent")
                    return .commit
                }
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM parent") == 1)
        }
    }

    @Test func indexesAreCreatedWithTheTableUnlessAColumnIsIndexed() throws {
        try queue.write { db in
            try db.create(table: "player") { t in
                t.column("name", .text).indexed()
                t.column("email", .text).unique().indexed()
            }
            let indexes = try db.indexes(on: "player")
            #expect(Set(indexes.map(\.columns)) == [["name"], ["email"]])
            #expect(indexes.contains { $0.name == "player_on_name" && !$0.isUnique })
            // The table already exists, so this call has no effect.
            try db.create(table: "player", options: .ifNotExists) { t in
                t.column("name", .text).indexed()
            }
            #expect(try db.columns(in: "player").count == 2)
        }
    }

    @Test func aTableWhoseIndexFailsIsNotCreated() throws {
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t_on_a (x)")
            #expect(throws: DatabaseError.self) {
                try db.create(table: "t") { t in t.column("a").indexed() }
            }
            #expect(try !db.tableExists("t"))
        }
    }

    @Test func temporaryAndStrictTablesAreCreated() throws {
        try queue.write { db in
            try db.create(table: "scratch", options: [.temporary, .strict]) { t in
                t.column("n", .integer).indexed()
            }
            #expect(try db.tableExists("scratch", in: "temp"))
            #expect(try db.indexes(on: "scratch").map(\.name) == ["scratch_on_n"])
            expectViolation(db, "INSERT INTO scratch VALUES ('text')")
        }
    }

    @Test func namesAreQuoted() throws {
        try queue.write { db in
            try db.create(table: "or\"der") { t in
                t.column("group", .text).indexed()
                t.column("se lect").check { "\($0) > \(0)" }
            }
            try db.create(indexOn: "or\"der", columns: ["group", "se lect"], options: .unique)
            #expect(try db.columns(in: "or\"der").map(\.name) == ["group", "se lect"])
            try db.rename(table: "or\"der", to: "table")
            try db.drop(index: "or\"der_on_group")
            #expect(try db.indexes(on: "table").map(\.columns) == [["group", "se lect"]])
            try db.drop(table: "table")
            #expect(try !db.tableExists("table"))
        }
    }

    @Test func anAlterationIsAtomic() throws {
        try queue.inDatabase { db in
            try db.create(table: "t") { t in
                t.column("a", .integer)
                t.column("b", .integer)
            }
            try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
            try db.alter(table: "t") { t in
                t.rename(column: "a", to: "first")
                t.add(column: "c", .text).notNull().defaults(to: "new").indexed()
                t.addColumn(sql: "d")
                t.drop(column: "b")
            }
            #expect(try db.columns(in: "t").map(\.name) == ["first", "c", "d"])
            #expect(try db.indexes(on: "t").map(\.name) == ["t_on_c"])
            #expect(
                try Row.fetchOne(db, sql: "SELECT * FROM t") == ["first": 1, "c": "new", "d": nil]
            )
            #expect(throws: DatabaseError.self) {
                try db.alter(table: "t") { t in
                    t.drop(column: "d")
                    t.drop(column: "missing")
                }
            }
            #expect(try db.columns(in: "t").count == 3)
        }
    }

    @Test func partialAndExpressionIndexesAreCreated() throws {
        try queue.write { db in
            try db.create(table: "t") { t in
                t.column("name", .text)
                t.column("state", .text)
            }
            try db.create(
                index: "unique_open",
                on: "t",
                columns: ["name"],
                options: [.unique, .ifNotExists],
                condition: "state = \("it's open")"
            )
            try db.create(index: "by_length", on: "t", expressions: ["length(name)", "name"])
            try db.execute(sql: "INSERT INTO t VALUES ('a', 'done'), ('a', 'it''s open')")
            expectViolation(db, "INSERT INTO t VALUES ('a', 'it''s open')")
            try db.drop(indexOn: "T", columns: ["NAME"])
            #expect(try db.indexes(on: "t").isEmpty)
            #expect(try sql(of: "by_length", db) != nil)
            // The index does not exist.
            try db.drop(indexOn: "t", columns: ["state"])
        }
    }

    @Test func aDefinitionWithArgumentsThrows() throws {
        try queue.write { db in
            let error = #expect(throws: DatabaseError.self) {
                try db.create(table: "t") { t in
                    t.column("a")
                    t.check(SQL(sql: "a > ?", arguments: [1]))
                }
            }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("interpolate") == true)
        }
    }

    @Test func anIndexIsRebuiltForItsCollation() throws {
        let isReversed = Reversal()
        let collation = DatabaseCollation("mine") { first, second in
            let order: ComparisonResult =
                first == second
                ? .orderedSame : first < second ? .orderedAscending : .orderedDescending
            guard isReversed.isOn else { return order }
            return ComparisonResult(rawValue: -order.rawValue) ?? .orderedSame
        }
        try queue.inDatabase { db in
            db.add(collation: collation)
            try db.create(table: "t") { t in t.column("name", .text).collate(collation).indexed() }
            try db.execute(sql: "INSERT INTO t VALUES ('a'), ('b')")
            isReversed.isOn = true
            try db.reindex(collation: collation)
            let names = try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY name")
            #expect(names == ["b", "a"])
            try db.reindex(collation: .nocase)
        }
    }
}

/// A flag that determines whether a collation reverses its order.
///
/// `@unchecked Sendable`, because the test changes the value only between two statements of one
/// connection.
private final class Reversal: @unchecked Sendable {
    var isOn = false
}
