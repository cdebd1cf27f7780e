import Testing

@testable import SQLTrace

/// Tests why statements cannot use an index, and which indexes foreign keys need.
struct IndexObstacleTests {
    private static let schema = [
        "CREATE TABLE device (id INTEGER PRIMARY KEY, serial TEXT, owner INTEGER)",
        "CREATE INDEX device_serial ON device(serial)",
        "CREATE TABLE reading (id INTEGER PRIMARY KEY, serial INTEGER, at TEXT)",
        "CREATE TABLE actor (id INTEGER PRIMARY KEY, name TEXT, born INTEGER)",
        "CREATE INDEX actor_name ON actor(name)",
        """
        CREATE TABLE message (id INTEGER PRIMARY KEY, chat INTEGER REFERENCES chat(id), \
        model_id INTEGER REFERENCES model(id) ON DELETE SET NULL, body TEXT, state TEXT)
        """,
        "CREATE TABLE chat (id INTEGER PRIMARY KEY)",
        "CREATE TABLE model (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE INDEX message_chat ON message(chat)",
    ]

    private func database() throws -> PrivateSchema {
        try #require(PrivateSchema(Self.schema))
    }

    private func proposals(_ sql: String) throws -> [String] {
        try database().proposals(for: sql).map { $0.map(\.text).joined(separator: " and ") }
    }

    @Test func columnsOfDifferentTypesAreNamed() throws {
        let sql =
            "SELECT d.owner FROM reading r JOIN device d ON d.serial = r.serial WHERE r.id = :id"
        let found = try database().obstacles(for: sql)
        #expect(found.count == 1)
        let text = try #require(found.first?.text)
        #expect(text.contains("d.serial (TEXT) is compared with r.serial (INTEGER)"))
        #expect(found.first?.remedy.contains("CAST(r.serial AS TEXT)") == true)
        // An index on the column exists, so none is proposed.
        #expect(try proposals(sql) == [])
    }

    /// With a cast, SQLite would join the tables in another order, which is not an obstacle.
    @Test func columnsOfEqualAffinityAreNotNamed() throws {
        let schema = try #require(
            PrivateSchema([
                "CREATE TABLE page (id INT, name TEXT)",
                "CREATE TABLE content (id INTEGER PRIMARY KEY, data BLOB)",
                "CREATE TABLE keyword (id INTEGER PRIMARY KEY, name TEXT, page INTEGER)",
            ])
        )
        for sql in [
            "SELECT p.name FROM keyword k JOIN page p ON p.id = k.page WHERE k.name = :n",
            "SELECT c.data FROM page p JOIN content c ON c.id = p.id WHERE p.name = :n",
        ] {
            #expect(schema.obstacles(for: sql) == [])
            #expect(!schema.proposals(for: sql).isEmpty)
        }
    }

    @Test(arguments: [
        ("SELECT id FROM actor WHERE lower(name) = :n", "lower(name)"),
        ("SELECT id FROM actor a WHERE upper(a.name) = 'X'", "upper(a.name)"),
        ("SELECT id FROM actor WHERE CAST(name AS TEXT) = ?", "CAST(name AS TEXT)"),
        ("SELECT id FROM actor WHERE +name = ?", "+name"),
    ])
    func callsAroundColumnsAreNamed(sql: String, call: String) throws {
        let found = try #require(try database().obstacles(for: sql).first)
        #expect(found.text.hasPrefix(call + " is an expression"))
        let index = try #require(found.index)
        #expect(try !database().plan(of: sql, with: [index])[0].hasPrefix("SCAN"))
    }

    @Test(arguments: [
        "SELECT id FROM actor WHERE name = :n", "SELECT id FROM actor WHERE born = 1 + 2",
        "SELECT id FROM actor WHERE name = (SELECT max(name) FROM actor)",
        "SELECT lower(name) FROM actor", "SELECT id FROM actor WHERE", "= = ( )", "SELECT )) = ((",
    ])
    func otherStatementsHaveNoObstacle(sql: String) throws {
        #expect(try database().obstacles(for: sql).isEmpty)
    }

    @Test func anIndexWithTheCollationOfLIKEIsProposed() throws {
        let sql = "SELECT id FROM actor WHERE name LIKE :p"
        #expect(try proposals(sql) == ["actor (name COLLATE NOCASE)"])
        let index = try #require(try database().proposals(for: sql).first?.first)
        let found = try #require(try database().collationObstacle(of: index, for: sql))
        #expect(found.text.contains("actor_name on actor.name has the collation BINARY, but LIKE"))
    }

    @Test func onlyTheTermOfAnORWithoutAnIndexNeedsOne() throws {
        #expect(
            try proposals("SELECT * FROM actor WHERE name = :name OR born = 1950")
                == ["actor (born)"]
        )
        // The end of the table up to a rowid is read without an index.
        #expect(
            try proposals("SELECT * FROM actor WHERE name = :name OR born = 1950 AND id < 1000")
                == ["actor (born)"]
        )
    }

    @Test func aConstantLeadsToAPartialIndex() throws {
        let found = try proposals("SELECT * FROM message WHERE state = 'open' AND body = ?")
        #expect(found.contains("message (body) WHERE state = 'open'"))
        #expect(try proposals("SELECT * FROM message WHERE chat = 4") == [])
    }

    @Test func foreignKeysWithoutAnIndexAreFound() throws {
        let database = try database()
        func keys(_ sql: String) -> [String] { database.keyIndexes(for: sql).map(\.index.text) }
        #expect(keys("DELETE FROM model WHERE id = ?") == ["message (model_id)"])
        #expect(keys("WITH x AS (SELECT 1) DELETE FROM \"main\".[model]") == ["message (model_id)"])
        #expect(keys("REPLACE INTO model VALUES (1, 'x')") == ["message (model_id)"])
        #expect(keys("DELETE FROM chat") == [] && keys("DELETE FROM message") == [])
        #expect(keys("SELECT 1") == [] && keys("DELETE FROM") == [])
    }

    @Test func anIndexThatExistsIsCovered() throws {
        let database = try database()
        func covered(_ names: String...) -> Bool {
            database.isCovered(
                ProposedIndex(table: "actor", columns: names.map { .init(name: $0) })
            )
        }
        #expect(covered("name") && covered("NAME") && !covered("name", "born") && !covered("born"))
        let other = ProposedIndex.Column(name: "name", collation: "NOCASE")
        #expect(!database.isCovered(ProposedIndex(table: "actor", columns: [other])))
    }
}
