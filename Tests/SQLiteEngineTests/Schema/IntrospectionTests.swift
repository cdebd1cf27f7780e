import Testing

@testable import SQLiteEngine

struct IntrospectionTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                    CREATE TABLE player (
                        team INTEGER REFERENCES team, number INT DEFAULT (1 + 1), nick,
                        twice INT AS (number * 2), PRIMARY KEY (number, team)) WITHOUT ROWID;
                    CREATE INDEX byNick ON player (nick DESC, team);
                    CREATE INDEX byLength ON player (length(nick));
                    CREATE TABLE goal (team, number, minute,
                        FOREIGN KEY (number, team) REFERENCES player);
                    CREATE VIEW names AS SELECT name FROM team;
                    """
            )
        }
    }

    @Test func columnsReportTheirDeclarations() throws {
        try queue.read { db in
            let columns = try db.columns(in: "PLAYER")
            #expect(columns.map(\.name) == ["team", "number", "nick", "twice"])
            #expect(columns.map(\.type) == ["INTEGER", "INT", "", "INT"])
            #expect(columns.map(\.primaryKeyIndex) == [2, 1, 0, 0])
            #expect(columns[1].defaultValueSQL == "1 + 1")
            #expect(try db.columns(in: "team")[1].isNotNull)
            #expect(try db.columns(in: "names").map(\.name) == ["name"])
            #expect(try db.columns(in: "sqlite_master").map(\.name).contains("rootpage"))
        }
    }

    @Test func primaryKeysOfAllKindsAreReported() throws {
        try queue.inDatabase { db in
            let team = try db.primaryKey("team")
            #expect(team.columns == ["id"] && team.rowIDColumn == "id" && team.isRowID)
            let player = try db.primaryKey("player")
            #expect(player.columns == ["number", "team"])
            #expect(player.rowIDColumn == nil && !player.isRowID && !player.tableHasRowID)
            let goal = try db.primaryKey("goal")
            #expect(goal.columns == ["rowid"] && goal.isRowID && goal.rowIDColumn == nil)
            // A descending key is not an alias of the rowid
            // (https://sqlite.org/lang_createtable.html#rowid).
            try db.execute(sql: "CREATE TABLE d (id INTEGER PRIMARY KEY DESC)")
            #expect(try db.primaryKey("d").rowIDColumn == nil)
            let error = #expect(throws: DatabaseError.self) { try db.primaryKey("names") }
            #expect(error?.message == "the view `names` has no primary key")
        }
    }

    @Test func indexesReportTheirColumns() throws {
        try queue.read { db in
            let indexes = try db.indexes(on: "player")
            #expect(Set(indexes.map(\.name)) == ["byNick", "sqlite_autoindex_player_1"])
            let byNick = try #require(indexes.first { $0.name == "byNick" })
            #expect(byNick.columns == ["nick", "team"] && byNick.origin == .createIndex)
            #expect(!byNick.isUnique)
            let unique = try #require(try db.indexes(on: "team").first)
            #expect(unique.origin == .uniqueConstraint && unique.isUnique)
        }
    }

    @Test func foreignKeysReportTheirDestinationColumns() throws {
        try queue.inDatabase { db in
            let key = try #require(try db.foreignKeys(on: "goal").first)
            #expect(key.destinationTable == "player")
            #expect(key.originColumns == ["number", "team"])
            #expect(key.destinationColumns == ["number", "team"])
            #expect(try db.foreignKeys(on: "player").first?.destinationColumns == ["id"])
            #expect(try db.foreignKeys(on: "team").isEmpty)
            try db.execute(sql: "CREATE TABLE orphan (a REFERENCES gone)")
            let error = #expect(throws: DatabaseError.self) { try db.foreignKeys(on: "orphan") }
            #expect(error?.message == "no such table: gone")
        }
    }

    @Test func uniqueKeysContainedInColumnsAreFound() throws {
        try queue.read { db throws in
            #expect(try db.table("team", hasUniqueKey: ["ID"]))
            #expect(try db.table("team", hasUniqueKey: ["rowid"]))
            #expect(try db.table("team", hasUniqueKey: ["other", "name"]))
            #expect(try db.table("player", hasUniqueKey: ["team", "number"]))
            #expect(try !db.table("player", hasUniqueKey: ["rowid"]))
            #expect(try !db.table("player", hasUniqueKey: ["team", "nick"]))
            #expect(try !db.table("team", hasUniqueKey: []))
            #expect(try !db.table("names", hasUniqueKey: ["name"]))
        }
    }

    @Test func missingTablesAndSchemasAreErrors() throws {
        try queue.inDatabase { db throws in
            for inspect in [
                { _ = try db.columns(in: $0, in: $1) }, { _ = try db.primaryKey($0, in: $1) },
                { _ = try db.indexes(on: $0, in: $1) }, { _ = try db.foreignKeys(on: $0, in: $1) },
            ] as [(String, String?) throws -> Void] {
                let table = #expect(throws: DatabaseError.self) { try inspect("gone", nil) }
                #expect(table?.message == "no such table: gone")
                let schema = #expect(throws: DatabaseError.self) { try inspect("team", "gone") }
                #expect(schema?.message == "no such schema: gone")
            }
        }
    }

    @Test func attachedDatabasesComeLastAndCanBeSpecified() throws {
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.team (code TEXT PRIMARY KEY); CREATE TABLE other.far (a);
                    """
            )
            #expect(try db.primaryKey("team").columns == ["id"])
            #expect(try db.primaryKey("team", in: "Other").columns == ["code"])
            #expect(try db.columns(in: "far").map(\.name) == ["a"])
            try db.execute(sql: "CREATE TEMP TABLE team (here)")
            #expect(try db.columns(in: "team").map(\.name) == ["here"])
        }
    }

    @Test func aSchemaChangeInvalidatesTheCache() throws {
        try queue.inDatabase { db in
            _ = try db.columns(in: "team")
            var statements: [String] = []
            db.trace { statements.append($0.description) }
            _ = try db.columns(in: "Team")
            #expect(statements == [])
            db.trace()
            try db.execute(sql: "ALTER TABLE team ADD COLUMN town; CREATE INDEX t ON team (town)")
            #expect(try db.columns(in: "team").map(\.name) == ["id", "name", "town"])
            #expect(try db.indexes(on: "team").count == 2)
        }
    }

    @Test func foreignKeyViolationsAreReported() throws {
        try queue.inDatabase { db in
            try db.checkForeignKeys()
            try db.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    INSERT INTO player (team, number) VALUES (9, 1);
                    INSERT INTO goal VALUES (7, 7, 90);
                    """
            )
            #expect(try Array(db.foreignKeyViolations()).count == 2)
            let violation = try #require(try db.foreignKeyViolations(in: "GOAL").next())
            #expect(violation.originTable == "goal" && violation.originRowID == 1)
            #expect(violation.destinationTable == "player")
            let error = #expect(throws: DatabaseError.self) { try db.checkForeignKeys(in: "goal") }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
            #expect(
                error?.message == """
                    FOREIGN KEY constraint violation - from goal(number, team) to \
                    player(number, team), in [team:7 number:7 minute:90]
                    """
            )
            // Without a rowid, the row cannot be identified.
            let other = #expect(throws: DatabaseError.self) {
                try db.checkForeignKeys(in: "player")
            }
            #expect(
                other?.message == "FOREIGN KEY constraint violation - from player(team) to team(id)"
            )
            try db.checkForeignKeys(in: "team")
        }
    }

    @Test func aSchemaSourceProvidesTheKeysOfViews() throws {
        struct Names: DatabaseSchemaSource {
            let keys: [String: [String]]
            func columnsForPrimaryKey(
                _ db: Database,
                inView view: DatabaseObjectID
            ) throws -> [String]? { view.schemaID == .main ? keys[view.name] : nil }
        }
        struct Name: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "names"
            var id: Int
            var name: String
        }
        var configuration = Configuration()
        configuration.schemaSource = Names(keys: ["names": ["ID"]])
            .then(Names(keys: ["names": ["name"], "wrong": ["gone"], "none": []]))
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO t VALUES (1, 'a'), (2, 'b');
                    CREATE VIEW names AS SELECT * FROM t;
                    CREATE VIEW wrong AS SELECT 1 AS one;
                    CREATE VIEW none AS SELECT 1 AS one;
                    CREATE TRIGGER rename INSTEAD OF UPDATE ON names BEGIN
                        UPDATE t SET name = NEW.name WHERE id = OLD.id;
                    END;
                    """
            )
            let key = try db.primaryKey("names")
            #expect(key.columns == ["id"] && key.rowIDColumn == nil && !key.isRowID)
            #expect(try db.table("names", hasUniqueKey: ["id"]))
            #expect(try Name.fetchOne(db, key: 2)?.name == "b")
            try db.execute(sql: "UPDATE names SET name = 'c' WHERE id = 2")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM t ORDER BY id") == ["a", "c"])
            let wrong = #expect(throws: DatabaseError.self) { try db.primaryKey("wrong") }
            #expect(wrong?.message?.contains("wrong.gone") == true)
            #expect(throws: DatabaseError.self) { try db.primaryKey("none") }
        }
    }

    /// SQLite ignores the case of ASCII letters only.
    @Test func namesThatDifferInOtherLettersAreDifferent() throws {
        struct Pair: Codable, Equatable, FetchableRecord, PersistableRecord {
            enum CodingKeys: String, CodingKey {
                case id
                case upper = "É"
                case lower = "é"
            }
            var id: Int
            var upper: Int
            var lower: Int
        }
        try DatabaseQueue().write { (db: Database) throws -> Void in
            try db.execute(
                sql: """
                    CREATE TABLE "Ä" (a); CREATE TABLE "ä" (b);
                    CREATE TABLE pair (id INTEGER PRIMARY KEY, "é", "É", NAME);
                    INSERT INTO pair VALUES (1, 10, 20, 30)
                    """
            )
            #expect(try db.columns(in: "Ä").map(\.name) == ["a"])
            #expect(try db.columns(in: "ä").map(\.name) == ["b"])
            var pair = try #require(try Pair.fetchOne(db, key: 1))
            #expect(pair == Pair(id: 1, upper: 20, lower: 10))
            pair.upper = 21
            try pair.update(db, columns: ["É"])
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM pair"))
            #expect(row["É"] == 21)
            #expect(row["é"] == 10)
            #expect(row["name"] == 30)
            try db.execute(sql: #"CREATE TABLE "naïve" ("Über"); INSERT INTO "naïve" VALUES (1)"#)
            #expect(try Row.fetchOne(db, sql: #"SELECT * FROM "naïve""#)?["über"] == 1)
        }
    }
}
