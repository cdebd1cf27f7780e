import Foundation
import SQLiteEngine
import Testing

struct WritingRecordTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try Player.makeEmptyQueue()
    }

    @Test func anInsertionReportsTheNewRowID() throws {
        try queue.write { db in
            var player = Player(name: "Arthur", score: 3)
            try player.insert(db)
            #expect(player.id == 1)
            let other = try Player(name: "Barbara").inserted(db)
            #expect(other.id == 2)
            try #expect(Player.fetchAll(db) == [player, other])
        }
    }

    @Test func anUpdateChangesTheRowWithItsKey() throws {
        try queue.write { db in
            var player = try Player(name: "Arthur").inserted(db)
            player.score = 10
            player.name = "Art"
            try player.update(db, columns: ["SCORE"])
            try #expect(Player.find(db, key: 1) == Player(id: 1, name: "Arthur", score: 10))
            try player.update(db, columns: [Player.Columns.name])
            try player.update(db)
            try #expect(Player.find(db, key: 1) == player)
        }
    }

    @Test func anUpdateWithoutAMatchingRowThrows() throws {
        try queue.write { db in
            let error = #expect(throws: RecordError.self) {
                try Player(id: 7, name: "Nobody").update(db)
            }
            #expect(error?.description == "Key not found in table player: [id:7]")
            #expect(throws: RecordError.self) { try Player(name: "Nobody").update(db) }
        }
    }

    @Test func aRecordWithOnlyAKeyCanBeUpdated() throws {
        struct Tag: Codable, PersistableRecord { var id: Int }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE tag (id INTEGER PRIMARY KEY)")
            try Tag(id: 1).save(db)
            try Tag(id: 1).update(db)
            #expect(db.changesCount == 1)
            #expect(throws: RecordError.self) { try Tag(id: 2).update(db) }
        }
    }

    @Test func onlyChangedColumnsAreUpdated() throws {
        try queue.write { db in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            try db.execute(sql: "UPDATE player SET name = 'King'")
            try #expect(player.updateChanges(db) { $0.score = 2 })
            try #expect(!player.updateChanges(db) { $0.score = 2 })
            try #expect(Player.find(db, key: 1) == Player(id: 1, name: "King", score: 2))
            var other = player
            other.name = "Arthur the First"
            try #expect(other.updateChanges(db, from: player))
            try #expect(other.databaseChanges(from: player) == ["name": "Arthur".databaseValue])
            #expect(!other.databaseEquals(player))
            #expect(player.databaseEquals(player))
        }
    }

    @Test func savingUpdatesOrInserts() throws {
        try queue.write { db in
            var player = Player(name: "Arthur")
            try player.save(db)
            #expect(player.id == 1)
            player.score = 5
            try player.save(db)
            try #expect(Player.fetchAll(db) == [player])
            let other = try Player(id: 12, name: "Barbara").saved(db)
            try #expect(Player.find(db, key: 12) == other)
        }
    }

    @Test func deleteAndExistsUseTheKey() throws {
        try queue.write { db in
            let player = try Player(name: "Arthur").inserted(db)
            try #expect(player.exists(db))
            try #expect(player.delete(db))
            try #expect(!player.delete(db))
            try #expect(!player.exists(db))
            try #expect(!Player(name: "Arthur").delete(db))
            try #expect(!Player(name: "Arthur").exists(db))
        }
    }

    @Test func conflictsFollowThePolicyUnlessTheCallOverridesIt() throws {
        struct Replacing: Codable, PersistableRecord {
            static let databaseTableName = "player"
            static let persistenceConflictPolicy = PersistenceConflictPolicy(
                insert: .replace,
                update: .ignore
            )
            var id: Int64
            var name: String
        }
        try queue.write { db in
            try Replacing(id: 1, name: "a").insert(db)
            try Replacing(id: 2, name: "a").insert(db)
            try #expect(Player.fetchAll(db).map(\.id) == [2])
            #expect(throws: DatabaseError.self) {
                try Replacing(id: 3, name: "a").insert(db, onConflict: .abort)
            }
            try Replacing(id: 3, name: "b").insert(db)
            #expect(throws: RecordError.self) { try Replacing(id: 3, name: "a").update(db) }
            try #expect(Player.find(db, key: 3).name == "b")
            try Replacing(id: 4, name: "b").insert(db, onConflict: .ignore)
            try #expect(Player.fetchCount(db) == 2)
        }
    }

    @Test func eachTypeIsStoredInItsFormat() throws {
        struct Everything: Encodable, PersistableRecord {
            enum Team: String, Codable { case red }
            struct Address: Encodable {
                var street: String
                var city: String
            }
            var bool = true
            var int8: Int8? = 3
            var double = 1.5
            var date = Date(timeIntervalSince1970: 0)
            var data = Data([1])
            var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            var team = Team.red
            var address = Address(street: "Main", city: "Ys")
            var empty: [Int] = []
            var nothing: Int?
            var noAddress: Address?
        }
        let columns = try Everything().databaseDictionary
        let expected: [String: DatabaseValue] = [
            "bool": true.databaseValue,
            "int8": 3.databaseValue,
            "double": 1.5.databaseValue,
            "date": "1970-01-01 00:00:00.000".databaseValue,
            "data": Data([1]).databaseValue,
            "uuid": Data(1...16).databaseValue,
            "team": "red".databaseValue,
            "address": #"{"city":"Ys","street":"Main"}"#.databaseValue,
            "empty": "[]".databaseValue,
            "nothing": .null,
            "noAddress": .null,
        ]
        #expect(columns == expected)
    }

    @Test func aRecordMayEncodeItself() throws {
        struct Handmade: PersistableRecord {
            static let databaseTableName = "player"
            func encode(to container: inout PersistenceContainer) {
                container["name"] = "first"
                container[Player.Columns.score] = 4
                container["NAME"] = "second"
            }
        }
        try queue.write { db in
            try Handmade().insert(db)
            try #expect(Player.fetchAll(db) == [Player(id: 1, name: "second", score: 4)])
        }
    }

    @Test func tablesWithoutADeclaredKeyUseTheirRowID() throws {
        struct Line: Codable, FetchableRecord, MutablePersistableRecord {
            static var databaseSelection: [any SQLSelectable] { [.allColumns, Column.rowID] }
            var rowid: Int64?
            var text: String
            mutating func didInsert(_ inserted: InsertionSuccess) {
                #expect(inserted.rowIDColumn == nil)
                rowid = inserted.rowID
            }
        }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE line (text TEXT)")
            var line = try Line(text: "a").inserted(db)
            line.text = "b"
            try line.update(db)
            try #expect(Line.find(db, key: 1).text == "b")
            try #expect(line.delete(db))
        }
    }

    @Test func keysOtherThanTheRowIDAreNotFilled() throws {
        struct Country: Codable, FetchableRecord, PersistableRecord {
            var code: Int
            func didInsert(_ inserted: InsertionSuccess) { #expect(inserted.rowIDColumn == nil) }
        }
        for sql in [
            "CREATE TABLE country (code INTEGER PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE country (code INTEGER PRIMARY KEY DESC)",
        ] {
            try DatabaseQueue().write { db in
                try db.execute(sql: sql)
                try Country(code: 5).insert(db)
                try #expect(Country.find(db, key: 5).code == 5)
            }
        }
    }

    @Test func viewsWriteThroughTheirTriggers() throws {
        struct Shown: Codable, FetchableRecord, PersistableRecord { var name: String }
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW shown AS SELECT name FROM player;
                    CREATE TRIGGER add_shown INSTEAD OF INSERT ON shown BEGIN
                        INSERT INTO player (name) VALUES (new.name);
                    END;
                    """
            )
            try Shown(name: "Arthur").insert(db)
            try #expect(Shown.fetchAll(db).map(\.name) == ["Arthur"])
            let error = #expect(throws: DatabaseError.self) { try Shown.fetchOne(db, key: 1) }
            #expect(error?.message?.contains("the view `shown` has no primary key") == true)
        }
    }

    @Test func namesThatNeedQuotesAreQuoted() throws {
        struct Odd: Codable, FetchableRecord, PersistableRecord {
            static let databaseTableName = #"my "odd" table"#
            enum CodingKeys: String, CodingKey {
                case id = "the id"
                case order
            }
            var id: Int
            var order: String
        }
        try queue.write { db in
            try db.execute(
                sql:
                    #"CREATE TABLE "my ""odd"" table" ("the id" INTEGER PRIMARY KEY, "order" TEXT)"#
            )
            try Odd(id: 1, order: "x").insert(db)
            try Odd(id: 1, order: "y").update(db)
            try #expect(Odd.find(db, key: 1).order == "y")
            try #expect(Odd.deleteAll(db) == 1)
        }
    }
}
