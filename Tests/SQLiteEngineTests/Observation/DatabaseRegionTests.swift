import CSQLite
import Testing

@testable import SQLiteEngine

struct DatabaseRegionTests {
    private func withSchema(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE Player (id INTEGER PRIMARY KEY, Name TEXT, team);
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE VIEW names AS SELECT Name FROM Player;
                    """
            )
            try body(db)
        }
    }

    @Test(
        arguments: [
            ("SELECT name FROM player", "Player(Name)"),
            ("SELECT COUNT(*) FROM player", "player(*)"),
            ("SELECT COUNT(*), name FROM player", "Player(Name)"),
            (
                "SELECT player.name, team.name FROM player JOIN team ON team.id = player.team",
                "Player(Name,team),team(id,name)"
            ),
            ("SELECT id, name FROM team", "team(id,name)"),
            ("SELECT 1", "empty"),
            ("INSERT INTO team (name) VALUES ('a')", "empty"),
            ("UPDATE team SET name = 'a' WHERE id = 1", "team(id)"),
        ]
    )
    func aStatementReportsItsRegion(sql: String, region: String) throws {
        try withSchema { db in
            let statement = try db.makeStatement(sql: sql)
            #expect(statement.databaseRegion.description == region)
            // From here on, the connection analyzes the statements that it prepares.
            #expect(try db.makeStatement(sql: sql).databaseRegion.description == region)
        }
    }

    @Test func aCursorReportsItsRegion() throws {
        try withSchema { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT name FROM team")
            #expect(cursor.databaseRegion == DatabaseRegion(table: "TEAM", columns: ["NAME"]))
        }
    }

    @Test func theRegionIsUpdatedAfterASchemaChange() throws {
        try withSchema { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM team")
            #expect(statement.databaseRegion.description == "team(id,name)")
            try db.execute(sql: "ALTER TABLE team ADD COLUMN color")
            _ = try Row.fetchAll(statement)
            #expect(statement.databaseRegion.description == "team(color,id,name)")
        }
    }

    @Test func regionsFormUnionsAndIntersections() {
        let columns = DatabaseRegion(table: "t", columns: ["a", "b"])
        let other = DatabaseRegion(table: "T", columns: ["B", "c"])
        let rows = DatabaseRegion(table: "t", rowIds: [1, 2])
        #expect(columns.union(other).description == "t(a,b,c)")
        #expect(columns.intersection(other).description == "t(b)")
        #expect(columns.union(rows).description == "t(*)")
        #expect(columns.intersection(rows).description == "t(a,b)[1,2]")
        #expect(columns.union(DatabaseRegion(table: "u")).description == "t(a,b),u(*)")
        #expect(columns.intersection(DatabaseRegion(table: "u")).isEmpty)
        #expect(columns.union(.fullDatabase).isFullDatabase)
        #expect(columns.intersection(.fullDatabase) == columns)
        #expect(DatabaseRegion().isEmpty)
        #expect(DatabaseRegion().description == "empty")
        #expect(DatabaseRegion.fullDatabase.description == "full database")
        #expect(rows.intersection(DatabaseRegion(table: "t", rowIds: [3])).isEmpty)
    }

    @Test func eventsOfMatchingKindsModifyARegion() {
        let columns = DatabaseRegion(table: "t", columns: ["a"])
        #expect(columns.isModified(byEventsOfKind: .insert(tableName: "T")))
        #expect(columns.isModified(byEventsOfKind: .update(tableName: "t", columnNames: ["A"])))
        #expect(!columns.isModified(byEventsOfKind: .update(tableName: "t", columnNames: ["b"])))
        #expect(!columns.isModified(byEventsOfKind: .delete(tableName: "u")))
        #expect(DatabaseRegion.fullDatabase.isModified(byEventsOfKind: .delete(tableName: "u")))
        let rows = DatabaseRegion(table: "t", rowIds: [1])
        "t".withCString { name in
            for id in [1, 2] as [Int64] {
                let event = DatabaseEvent(
                    kind: .insert,
                    rowID: id,
                    databaseNameCString: nil,
                    tableNameCString: name
                )
                #expect(rows.isModified(by: event) == (id == 1))
                #expect(DatabaseRegion(table: "shadowed").isModified(by: event))
            }
        }
    }

    @Test func readRegionsCanBeRecorded() throws {
        try withSchema { db in
            var outer = DatabaseRegion()
            var inner = DatabaseRegion()
            try db.recordingSelection(&outer) {
                _ = try Row.fetchAll(db, sql: "SELECT name FROM team")
                try db.recordingSelection(&inner) {
                    _ = try Row.fetchAll(db, sql: "SELECT name FROM names")
                    try db.registerAccess(to: DatabaseRegion(table: "elsewhere"))
                }
                _ = try db.tableExists("player")
            }
            _ = try Row.fetchAll(db, sql: "SELECT team FROM player")
            #expect(
                try inner.observableRegion(db).description == "Player(Name)"
            )
            #expect(outer == inner.union(DatabaseRegion(table: "team", columns: ["name"])))
            #expect(inner.intersection(DatabaseRegion(table: "elsewhere")).isEmpty == false)
        }
    }

    @Test func withoutARecorderNoRegionIsEvaluated() throws {
        struct Expensive: DatabaseRegionConvertible {
            func databaseRegion(_ db: Database) throws -> DatabaseRegion {
                Issue.record("evaluated")
                return .fullDatabase
            }
        }
        try withSchema { db in try db.registerAccess(to: Expensive()) }
    }

    @Test func theUserAuthorizerRemainsUntilARegionIsRequested() throws {
        try withSchema { db in
            sqlite3_set_authorizer(
                db.sqliteConnection,
                { _, action, _, _, _, _ in action == SQLITE_INSERT ? SQLITE_DENY : SQLITE_OK },
                nil
            )
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO team VALUES (1, 2)")
            }
            db.afterNextTransaction { _ in }
            try db.execute(sql: "UPDATE team SET name = NULL")
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO team VALUES (1, 2)")
            }
        }
    }
}
