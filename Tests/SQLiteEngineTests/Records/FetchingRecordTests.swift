import SQLiteEngine
import Testing

struct FetchingRecordTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try Player.makeEmptyQueue()
        try queue.write { db in
            for (name, score) in [("Arthur", 100), ("Barbara", 200), ("Craig", 200)] {
                _ = try Player(name: name, score: score).inserted(db)
            }
        }
    }

    @Test func allFormsOfFetchingReturnTheRecords() throws {
        try queue.read { db in
            let names = ["Arthur", "Barbara", "Craig"]
            try #expect(Player.fetchAll(db).map(\.name) == names)
            try #expect(Player.fetchOne(db)?.name == "Arthur")
            try #expect(Player.fetchSet(db).count == 3)
            try #expect(Player.fetchCount(db) == 3)
            try #expect(Array(Player.fetchCursor(db).map(\.name)) == names)
        }
    }

    @Test func sqlAndStatementsFetchWithArguments() throws {
        try queue.read { db in
            let sql = "SELECT * FROM player WHERE score = ? ORDER BY name DESC"
            try #expect(
                Player.fetchAll(db, sql: sql, arguments: [200]).map(\.name) == ["Craig", "Barbara"]
            )
            try #expect(Player.fetchOne(db, sql: sql, arguments: [300]) == nil)
            try #expect(Player.fetchSet(db, sql: sql, arguments: [200]).count == 2)
            let statement = try db.makeStatement(sql: sql)
            try #expect(Player.fetchOne(statement, arguments: [100])?.name == "Arthur")
            try #expect(Player.fetchCursor(statement, arguments: [200]).next()?.name == "Craig")
        }
    }

    @Test func recordsAreFoundByKey() throws {
        try queue.read { db in
            try #expect(Player.fetchOne(db, key: 2)?.name == "Barbara")
            try #expect(Player.fetchOne(db, key: 9) == nil)
            try #expect(Player.fetchOne(db, key: Int?.none) == nil)
            try #expect(Player.fetchOne(db, id: 3)?.name == "Craig")
            try #expect(Player.find(db, key: 1).name == "Arthur")
            try #expect(Player.find(db, key: ["name": "Craig"]).id == 3)
            try #expect(Player.fetchOne(db, key: ["name": "Craig", "score": 1]) == nil)
            try #expect(Player.fetchAll(db, keys: [1, 3, 9]).count == 2)
            try #expect(Player.fetchAll(db, keys: [Int]()).isEmpty)
            try #expect(
                Player.fetchAll(db, keys: [["name": "Craig"], ["name": "Arthur"]]).count == 2
            )
            try #expect(Player.exists(db, key: 1))
            try #expect(!Player.exists(db, key: 9))
            try #expect(Player.exists(db, key: ["score": 200]))
        }
    }

    @Test func aMissingKeyIsReported() throws {
        try queue.read { db in
            let error = #expect(throws: RecordError.self) { try Player.find(db, key: 9) }
            #expect(error?.description == "Key not found in table player: [id:9]")
            let other = #expect(throws: RecordError.self) {
                try Player.find(db, key: ["name": "Zoe", "score": nil])
            }
            #expect(
                other?.description == "Key not found in table player: [name:\"Zoe\" score:NULL]"
            )
        }
    }

    @Test func aKeyOfSeveralColumnsRequiresADictionary() throws {
        struct Seat: Codable, FetchableRecord, PersistableRecord {
            var row: Int
            var number: Int
        }
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE seat (row INTEGER, number INTEGER, PRIMARY KEY (row, number))"
            )
            try Seat(row: 1, number: 2).insert(db)
            try #expect(Seat.find(db, key: ["row": 1, "number": 2]).number == 2)
            let error = #expect(throws: DatabaseError.self) { try Seat.fetchOne(db, key: 1) }
            #expect(error?.message?.contains("has 2 columns (row, number)") == true)
        }
    }

    @Test func aMissingTableIsReported() throws {
        struct Ghost: TableRecord, FetchableRecord {
            init(row: Row) throws {}
        }
        try queue.read { db in
            let error = #expect(throws: DatabaseError.self) { try Ghost.fetchOne(db, key: 1) }
            #expect(error?.message == "no such table: ghost")
        }
    }

    @Test func deletionsReportTheNumberOfRows() throws {
        try queue.write { db in
            try #expect(Player.deleteOne(db, key: 1))
            try #expect(!Player.deleteOne(db, key: 1))
            try #expect(Player.deleteAll(db, keys: [1, 2]) == 1)
            try #expect(Player.deleteOne(db, key: ["name": "Craig"]))
            try #expect(Player.deleteAll(db) == 0)
            for name in ["Dora", "Emil"] { _ = try Player(name: name).inserted(db) }
            try #expect(Player.deleteAll(db) == 2)
            try #expect(Player.fetchCount(db) == 0)
        }
    }

    @Test func aSchemaChangeIsVisibleImmediately() throws {
        struct Renamed: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = "item"
            var code: Int
        }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO item VALUES (1)")
            try #expect(Renamed.exists(db, key: 1))
            try db.execute(sql: "ALTER TABLE item RENAME COLUMN id TO code")
            try #expect(Renamed.find(db, key: 1).code == 1)
        }
    }

    @Test func theNameOfATableComesFromItsType() {
        struct HTTPRequest: TableRecord {}
        struct URL: TableRecord {}
        struct Pair<T>: TableRecord {}
        struct Team2Score: TableRecord {}
        #expect(Player.databaseTableName == "player")
        #expect(HTTPRequest.databaseTableName == "httpRequest")
        #expect(URL.databaseTableName == "url")
        #expect(Pair<Int>.databaseTableName == "pair")
        #expect(Team2Score.databaseTableName == "team2Score")
    }

    @Test func aSelectionSpecifiesItsColumns() throws {
        struct Name: Codable, FetchableRecord, TableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] { [Player.Columns.name] }
            var name: String
        }
        try queue.read { db in
            let cursor = try Name.fetchCursor(db)
            #expect(cursor.columnNames == ["name"])
            try #expect(cursor.next()?.name == "Arthur")
        }
    }
}
