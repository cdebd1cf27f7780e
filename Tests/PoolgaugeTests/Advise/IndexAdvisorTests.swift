import Capture
import Testing
import WorkloadEngine

@testable import poolgauge

/// Tests the indexes proposed for statements whose plans scan or sort.
struct IndexAdvisorTests {
    private static let schema = CaptureSchema([
        .init(name: "users", columns: [rowID, .init(name: "mail"), .init(name: "age")]),
        .init(name: "orders", columns: [rowID, .init(name: "user"), .init(name: "state")]),
    ])
    private static let rowID = CaptureSchema.Column(name: "id", type: "INTEGER", isRowID: true)

    private func indexes(_ sql: String, _ plan: [String]) -> [String] {
        IndexAdvisor(schema: Self.schema).indexes(
            for: Array(repeating: OperationProfile.Plan(sql: sql, lines: plan), count: 2)
        )
    }

    @Test func aScanGetsAnIndexOnItsComparedColumn() {
        #expect(
            indexes("SELECT * FROM orders WHERE user = :u", ["SCAN orders"]) == [
                "CREATE INDEX advised_orders_user ON orders (user)"
            ]
        )
    }

    @Test func orderByColumnsFollowWhereColumns() {
        #expect(
            indexes(
                "SELECT * FROM orders AS o WHERE o.user = :u AND o.id > 5 ORDER BY o.state DESC",
                ["SCAN o", "USE TEMP B-TREE FOR ORDER BY"]
            ) == [
                "CREATE INDEX advised_orders_user_state ON orders (user, state)",
                "CREATE INDEX advised_orders_user ON orders (user)",
            ]
        )
    }

    @Test func aJoinGetsAnIndexForTheScannedTable() {
        #expect(
            indexes(
                "SELECT * FROM users u JOIN orders o ON o.user = u.id WHERE u.mail = :m",
                ["SEARCH u USING INDEX mails (mail=?)", "SCAN o"]
            ) == ["CREATE INDEX advised_orders_user ON orders (user)"]
        )
    }

    @Test func aRangeGetsAnIndex() {
        #expect(
            indexes("DELETE FROM users WHERE age BETWEEN ? AND ?", ["SCAN users"]) == [
                "CREATE INDEX advised_users_age ON users (age)"
            ]
        )
    }

    @Test(arguments: [
        (
            "SELECT * FROM orders WHERE id = 1",
            ["SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)"]
        ),
        ("SELECT * FROM orders", ["SCAN orders"]),
        // The table is already in rowid order.
        ("SELECT * FROM orders WHERE id > 3", ["SCAN orders"]),
        ("SELECT * FROM orders WHERE lower(state) = ?", ["SCAN orders"]),
        ("not SQL '", ["SCAN orders"]),
    ])
    func uselessIndexesAreNotProposed(sql: String, plan: [String]) {
        #expect(indexes(sql, plan) == [])
    }

    @Test func tableNamesInOlderPlansAreFound() {
        #expect(
            indexes("SELECT * FROM orders o WHERE o.user = 1", ["SCAN TABLE orders AS o"]).count
                == 1
        )
    }
}
