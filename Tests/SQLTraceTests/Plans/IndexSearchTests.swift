import Testing

@testable import SQLTrace

/// Tests which indexes are proposed for statements that scan or sort, with SQLite as the judge.
struct IndexSearchTests {
    private static let schema = [
        "CREATE TABLE users (id INTEGER PRIMARY KEY, mail TEXT, age INTEGER)",
        """
        CREATE TABLE orders (id INTEGER PRIMARY KEY, user INTEGER, state TEXT, changed TEXT, \
        "order" TEXT)
        """,
        "CREATE TABLE coded (code TEXT COLLATE NOCASE, note TEXT)",
        "CREATE INDEX orders_changed ON orders (changed)",
        "CREATE VIEW open_orders AS SELECT * FROM orders WHERE state = 'open'",
    ]

    private func proposals(_ sql: String) throws -> [String] {
        let database = try #require(PrivateSchema(Self.schema))
        return database.proposals(for: sql).map { $0.map(\.text).joined(separator: " and ") }
    }

    @Test(arguments: [
        ("SELECT * FROM orders WHERE user = :u", "orders (user)"),
        ("SELECT * FROM orders WHERE state = ? AND user = ?", "orders (user, state)"),
        (
            "SELECT * FROM orders AS o WHERE o.user = :u AND o.id > 5 ORDER BY o.state DESC",
            "orders (user, state)"
        ),
        (
            "SELECT * FROM orders WHERE user = ? ORDER BY state, \"order\" DESC",
            "orders (user, state, \"order\" DESC)"
        ),
        (
            "SELECT * FROM users u JOIN orders o ON o.user = u.id WHERE u.mail = :m",
            "users (mail) and orders (user)"
        ),
        ("DELETE FROM users WHERE age BETWEEN ? AND ?", "users (age)"),
        ("UPDATE orders SET state = ? WHERE user IN (1, 2)", "orders (user)"),
        ("SELECT * FROM open_orders", "orders (state)"),
        // The existing index finds the rows, but does not sort them.
        (
            "SELECT * FROM orders WHERE changed = ? ORDER BY user LIMIT 5",
            "orders (changed, user)"
        ),
        ("SELECT * FROM users WHERE mail = ? COLLATE NOCASE", "users (mail COLLATE NOCASE)"),
        ("SELECT * FROM users WHERE mail LIKE 'a%'", "users (mail COLLATE NOCASE)"),
        // The column's collation already ignores case.
        ("SELECT * FROM coded WHERE code = ?", "coded (code)"),
        (
            "SELECT * FROM orders WHERE user = ? OR state = ?",
            "orders (user) and orders (state)"
        ),
        (
            "SELECT * FROM users WHERE age IN (SELECT user FROM orders WHERE state = ?)",
            "orders (state)"
        ),
    ])
    func anIndexIsProposed(sql: String, index: String) throws {
        let found = try proposals(sql)
        #expect(found.contains(index))
    }

    @Test(arguments: [
        "SELECT * FROM orders WHERE id = 1",
        "SELECT * FROM orders",
        "SELECT * FROM orders WHERE id > 3",
        "SELECT * FROM orders WHERE lower(state) = ?",
        "SELECT * FROM orders WHERE state LIKE '%a'",
        "SELECT * FROM orders WHERE changed = ?",
        "SELECT count(*) FROM orders",
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n",
        "DROP TABLE orders",
        "not SQL '",
    ])
    func uselessIndexesAreNotProposed(sql: String) throws {
        #expect(try proposals(sql) == [])
    }

    @Test func theSearchLeavesTheSchemaAsItWas() throws {
        let database = try #require(PrivateSchema(Self.schema))
        let sql = "SELECT * FROM orders WHERE changed = ? ORDER BY user"
        let before = database.plan(of: sql)
        #expect(!database.proposals(for: sql).isEmpty)
        #expect(database.plan(of: sql) == before && database.names.contains("orders_changed"))
    }

    /// A quote and a following combining character form one `Character`.
    @Test(arguments: ["a\"b", "a\"\u{301}b", "GROUPS", "left", "1st", "a b"])
    func hostileNamesAreQuoted(name: String) throws {
        let quoted =
            "\"" + name.unicodeScalars.map { $0 == "\"" ? "\"\"" : "\($0)" }.joined() + "\""
        let database = try #require(
            PrivateSchema([
                "CREATE TABLE \(quoted) (id INTEGER PRIMARY KEY, \(quoted), other)",
                "CREATE INDEX \(quoted.dropLast())i\" ON \(quoted) (other)",
            ])
        )
        let sql = "SELECT id FROM \(quoted) WHERE \(quoted) = ?"
        let index = try #require(database.proposals(for: sql).first?.first)
        #expect(index.table == name && index.columns.map(\.name) == [name])
        #expect(!database.plan(of: sql, with: [index])[0].hasPrefix("SCAN"))
    }
}
