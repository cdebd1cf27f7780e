import Testing

@testable import Capture

/// Tests which columns a parser associates with the values in a statement.
struct StatementParserTests {
    /// Values that one row must contain, by the alias of its table.
    @Test(arguments: [
        ("SELECT * FROM orders WHERE user = ? AND state = 'new'", ["orders", "orders"]),
        (
            #"SELECT * FROM "orders" WHERE ("orders"."user" = ? AND ("orders"."state" IS ?))"#,
            ["orders", "orders"]
        ),
        (
            "SELECT * FROM orders a JOIN orders b ON a.id = b.user AND a.state = ? WHERE b.user == ?",
            ["a", "b"]
        ),
        (
            "UPDATE OR IGNORE orders SET state = ? WHERE user = ? AND id = ?",
            ["", "orders", "orders"]
        ),
        ("SELECT * FROM orders WHERE user = ? AND state IS NOT NULL", ["orders"]),
        ("SELECT * FROM orders WHERE user = ? AND id > ?", ["orders", ""]),
        ("SELECT * FROM orders WHERE user = ? AND state IN (?, ?)", ["orders", "", ""]),
        ("SELECT * FROM orders WHERE user = ? OR state = ?", ["", ""]),
        ("SELECT * FROM orders WHERE NOT (user = ? AND state = ?)", ["", ""]),
        (
            "SELECT * FROM orders WHERE user = ? UNION SELECT * FROM orders WHERE user = ?",
            ["", ""]
        ),
        ("SELECT user = ? FROM orders WHERE lower(state) = ?", ["", ""]),
        (
            "SELECT id FROM orders WHERE user = ? EXCEPT SELECT id FROM orders WHERE state = ?",
            ["", ""]
        ),
        (
            "SELECT count(*) FILTER (WHERE state = 'new') FROM orders WHERE user = ?",
            ["", "orders"]
        ),
        (
            "SELECT * FROM orders WHERE user = ? AND id IN (SELECT id FROM orders WHERE state = ?)",
            ["orders", "orders in 11"]
        ),
    ])
    func equalityRequiresARow(sql: String, rows: [String]) throws {
        #expect(try CaptureFixture.parse(sql).slots.map { $0.requiredRow ?? "" } == rows)
    }

    /// Returns the roles and columns of a statement's slots, such as `comparison users.id`.
    private func slots(_ sql: String) throws -> [String] {
        try CaptureFixture.parse(sql).slots.map { slot in
            let column = slot.column.map { " \($0.table).\($0.name)" } ?? ""
            return "\(slot.role)\(column)"
        }
    }

    @Test(arguments: [
        ("SELECT * FROM users WHERE id = ?", ["comparison users.id"]),
        ("SELECT * FROM users WHERE id = 17", ["comparison users.id"]),
        ("SELECT * FROM users WHERE id = -17", ["comparison users.id"]),
        ("SELECT * FROM users WHERE ? = id", ["comparison users.id"]),
        ("SELECT * FROM users WHERE ID == :who", ["comparison users.id"]),
        ("SELECT * FROM users u WHERE u.id >= @x", ["comparison users.id"]),
        (
            "SELECT * FROM users AS u, orders o WHERE o.user = u.id AND o.id < ?2",
            ["comparison orders.id"]
        ),
        (
            "SELECT * FROM users JOIN orders ON orders.user = users.id WHERE state <> 'x'",
            ["comparison orders.state"]
        ),
        (#"SELECT * FROM "users" WHERE "users"."mail" LIKE ?"#, ["comparison users.mail"]),
        ("SELECT * FROM [users] WHERE [users].[mail] NOT LIKE ?", ["comparison users.mail"]),
        ("SELECT * FROM `users` WHERE `mail` GLOB ?", ["comparison users.mail"]),
        ("SELECT * FROM users WHERE lower(mail) = ?", ["comparison users.mail"]),
        ("SELECT * FROM users WHERE ? = lower(mail)", ["comparison users.mail"]),
        ("SELECT * FROM users WHERE mail IS ?", ["comparison users.mail"]),
        ("SELECT * FROM users WHERE mail IS NOT ?", ["comparison users.mail"]),
        ("SELECT * FROM users WHERE rowid = ?", ["comparison users.id"]),
        (
            "SELECT * FROM users WHERE age BETWEEN ? AND ?",
            ["rangeStart users.age", "rangeEnd users.age"]
        ),
        (
            "SELECT * FROM users WHERE age >= ? AND age < ?",
            ["rangeStart users.age", "rangeEnd users.age"]
        ),
        (
            "SELECT * FROM users u WHERE id = ? AND u.age > ? AND u.age <= ? AND mail = ?",
            [
                "comparison users.id", "rangeStart users.age", "rangeEnd users.age",
                "comparison users.mail",
            ]
        ),
        (
            "SELECT * FROM users WHERE age >= ? AND id < ? OR age < ?",
            ["comparison users.age", "comparison users.id", "comparison users.age"]
        ),
        (
            "SELECT * FROM users WHERE id = ? AND age NOT BETWEEN 10 AND 20 AND mail = 'a'",
            [
                "comparison users.id", "rangeStart users.age", "rangeEnd users.age",
                "comparison users.mail",
            ]
        ),
        (
            "SELECT * FROM users WHERE id BETWEEN ? AND ? + 99 AND age < ? + 71",
            [
                "rangeStart users.id", "rangeEnd users.id", "rangeWidth users.id",
                "comparison users.age", "other",
            ]
        ),
        (
            "SELECT * FROM users WHERE id >= :a AND id < :a + 99",
            ["rangeStart users.id", "rangeEnd users.id", "rangeWidth users.id"]
        ),
        (
            "SELECT * FROM users WHERE id IN (?, 22, ?)",
            ["list(0) users.id", "list(1) users.id", "list(2) users.id"]
        ),
        ("SELECT * FROM users WHERE id NOT IN (?)", ["list(0) users.id"]),
        (
            "SELECT * FROM users WHERE id IN (SELECT user FROM orders WHERE state = ?)",
            ["comparison orders.state"]
        ),
        (
            "INSERT INTO users VALUES (?, ?, 33)",
            ["insert(row: 0) users.id", "insert(row: 0) users.mail", "insert(row: 0) users.age"]
        ),
        (
            "INSERT INTO users (age, mail) VALUES (?, ?), (?, ?)",
            [
                "insert(row: 0) users.age", "insert(row: 0) users.mail",
                "insert(row: 1) users.age", "insert(row: 1) users.mail",
            ]
        ),
        ("INSERT OR REPLACE INTO users (mail) VALUES (upper(?))", ["other"]),
        (
            "INSERT INTO users (id, mail) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET age = ?",
            ["insert(row: 0) users.id", "insert(row: 0) users.mail", "set users.age"]
        ),
        (
            "UPDATE users SET age = ?, mail = 'x' WHERE id = ?",
            ["set users.age", "set users.mail", "comparison users.id"]
        ),
        (
            "UPDATE OR IGNORE users SET age = age + ? WHERE id = ?",
            ["change users.age", "comparison users.id"]
        ),
        ("DELETE FROM orders WHERE user = ?", ["comparison orders.user"]),
        ("SELECT * FROM users ORDER BY id LIMIT ? OFFSET ?", ["limit", "offset"]),
        ("SELECT * FROM users ORDER BY 2 LIMIT 100", []),
        ("SELECT * FROM users ORDER BY 12 DESC, 10", []),
        ("SELECT age, count(*) FROM users GROUP BY 11 HAVING count(*) > 20", ["other"]),
        ("SELECT * FROM users ORDER BY id = 471100 DESC", ["comparison users.id"]),
        ("SELECT count(*) FROM users GROUP BY mail, age > 65", ["comparison users.age"]),
        ("SELECT * FROM users ORDER BY 471100 - id", ["other"]),
        ("SELECT * FROM users ORDER BY mail, id - 471100", ["other"]),
        ("SELECT 1, substr(mail, 1, 5) FROM users", []),
        ("SELECT ?", ["other"]),
        (
            "WITH recent AS (SELECT * FROM orders WHERE state = ?) SELECT * FROM recent WHERE id > ?",
            ["comparison orders.state", "comparison orders.id"]
        ),
        ("SELECT * FROM main.users WHERE id = ?", ["comparison users.id"]),
        (#"SELECT * FROM "odd ""table""" WHERE "a'b" = ?"#, ["comparison odd \"table\".a'b"]),
    ])
    func eachValueIsMatchedToAColumn(sql: String, expected: [String]) throws {
        let found = try slots(sql)
        // The columns of a CTE are unknown, so the parser guesses the table inside the CTE.
        if sql.hasPrefix("WITH") {
            #expect(found.first == expected.first)
        } else {
            #expect(found == expected)
        }
    }

    @Test(arguments: [
        ("SELECT * FROM users WHERE id = 1", "select *  from users where id = 234 -- secret"),
        ("SELECT * FROM users WHERE id IN (1, 2)", "SELECT * FROM users WHERE id IN (3,4,5)"),
        ("INSERT INTO users VALUES (1, 'a', 2)", "INSERT INTO users VALUES (?, ?, ?), (?, ?, ?)"),
        ("SELECT * FROM users WHERE mail = 'a'", #"SELECT * FROM users WHERE mail = "b""#),
        ("SAVEPOINT s1", "SAVEPOINT s2"), ("RELEASE s1", "RELEASE s2"),
        ("SELECT /* a */ * FROM users", "SELECT * FROM users;"),
    ])
    func executionsOfOneStatementAreEqual(first: String, second: String) throws {
        #expect(
            try CaptureFixture.parse(first).key.lowercased()
                == CaptureFixture.parse(second).key.lowercased()
        )
    }

    @Test(arguments: [
        "SELECT 'it''s' || ? FROM users", "UPDATE users SET age=age+1 WHERE id=:id",
        "SELECT mail->>'$.a' FROM users", "INSERT INTO users DEFAULT VALUES",
    ])
    func textWithoutValuesIsUnchanged(sql: String) throws {
        let statement = try CaptureFixture.parse(sql)
        var texts: [String] = []
        for slot in statement.slots {
            switch slot.source {
            case .literal(_, let text): texts.append(text)
            case .parameter: texts.append(sql.contains(":id") ? ":id" : "?")
            }
        }
        #expect(statement.sql { texts[$0] } == sql)
    }

    /// Text in double quotes is a string unless the database contains that name.
    @Test func aStringInDoubleQuotesIsALiteral() throws {
        let statement = try CaptureFixture.parse(#"SELECT "mail" FROM users WHERE mail = "hidden""#)
        #expect(statement.key == #"SELECT "mail" FROM USERS WHERE MAIL = ?"#)
        #expect(statement.slots.map(\.source) == [.literal(.text("hidden"), text: #""hidden""#)])
    }

    @Test(arguments: [
        ("SELECT 'open", "is not terminated"), ("SELECT (1", "is not terminated"),
        ("SELECT 1)", "')'"),
        ("hello", "'hello'"), ("", "''"), ("SELECT 1; SELECT 2", "several statements"),
        ("SELECT #", "'#'"), ("SELECT [a", "is not terminated"), ("-- only a comment", "…"),
    ])
    func textThatIsNotSQLIsRejected(sql: String, message: String) {
        let error = #expect(throws: StatementParser.Failure.self) { try CaptureFixture.parse(sql) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func parameterNumbersMatchSQLite() throws {
        let statement = try CaptureFixture.parse("SELECT ?, :a, ?5, :a, ?, @b")
        #expect(
            statement.slots.map(\.source) == [0, 1, 4, 1, 5, 6].map { .parameter($0) }
        )
    }

    @Test(arguments: [
        ("SELECT * FROM nothing", ["nothing"]), ("SELECT * FROM json_each(?)", []),
        ("SELECT * FROM sqlite_master", []), ("WITH x AS (SELECT 1) SELECT * FROM x", []),
        (
            "WITH RECURSIVE x(n) AS (SELECT 1 UNION SELECT n FROM x), y AS (SELECT 2) SELECT * FROM y",
            []
        ),
        ("INSERT INTO users (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET age = age + 1", []),
        (
            """
            INSERT INTO users (id, age) SELECT id, 1 FROM orders WHERE true
            ON CONFLICT DO UPDATE SET (mail, age) = (excluded.mail, 2) WHERE id > 7
            """, []
        ),
        ("UPDATE gone SET age = 1", ["gone"]),
        ("SELECT * FROM users WHERE mail IS NOT DISTINCT FROM age", []),
        ("SELECT count(DISTINCT mail) FROM gone", ["gone"]),
        ("INSERT INTO gone VALUES (1)", ["gone"]), ("SELECT * FROM users, gone", ["gone"]),
    ])
    func missingTablesAreReported(sql: String, missing: [String]) throws {
        #expect(try CaptureFixture.parse(sql).missingTables == missing)
    }
}
