import Testing

@testable import Capture

/// Tests the statements that are proposed for a table.
struct TableStatementsTests {
    private let orders = DraftTable(
        name: "orders",
        rows: 10,
        columns: [
            .init(name: "id", primaryKeyIndex: 1), .init(name: "user"), .init(name: "number"),
            .init(name: "total", isWritable: false), .init(name: "state"), .init(name: "note"),
        ],
        indexes: [
            .init(columns: ["user"]), .init(columns: ["number"], isUnique: true),
            .init(columns: ["state"], isPartial: true), .init(columns: [nil, "note"]),
        ],
        references: ["user"]
    )

    @Test func readsUseKeysAndWholeIndexes() {
        let reads = TableStatements(orders).reads
        #expect(
            reads.map(\.sql) == [
                "SELECT * FROM orders WHERE id = ?",
                "SELECT * FROM orders WHERE user = ? LIMIT 50",
                "SELECT * FROM orders WHERE number = ? LIMIT 50",
            ]
        )
        #expect(reads.map(\.name) == ["orders-by-key", "orders-by-user", "orders-by-number"])
    }

    @Test func theUpdateAvoidsKeysReferencesAndGeneratedColumns() {
        let statements = TableStatements(orders)
        // `note` and `state` belong to indexes, but not to constraints.
        #expect(statements.write?.sql == "UPDATE orders SET state = ? WHERE id = ?")
        #expect(
            statements.write?.trial
                == "UPDATE orders SET state = "
                + "(SELECT state FROM orders ORDER BY random() LIMIT 1) WHERE id = "
                + "(SELECT id FROM orders ORDER BY random() LIMIT 1)"
        )
    }

    @Test func aTableWithoutAKeyIsReadByItsRowid() {
        let table = DraftTable(name: "order", rows: 1, columns: [.init(name: "a b")])
        let statements = TableStatements(table)
        #expect(statements.reads.first?.sql == "SELECT * FROM \"order\" WHERE rowid = ?")
        #expect(statements.write?.sql == "UPDATE \"order\" SET \"a b\" = ? WHERE rowid = ?")
    }

    @Test func aCompositeKeyIsReadByItsFirstColumn() {
        let table = DraftTable(
            name: "t",
            kind: .withoutRowID,
            rows: 1,
            columns: [
                .init(name: "b", primaryKeyIndex: 2), .init(name: "a", primaryKeyIndex: 1),
                .init(name: "c"),
            ]
        )
        let statements = TableStatements(table)
        #expect(statements.reads.map(\.sql) == ["SELECT * FROM t WHERE a = ? LIMIT 50"])
        #expect(
            statements.write?.sql
                == "UPDATE t SET c = ? WHERE (a, b) = (SELECT a, b FROM t WHERE a = ? LIMIT 1)"
        )
    }

    @Test func aFullTextIndexIsSearched() {
        var table = DraftTable(
            name: "search",
            kind: .fullText(ownsContent: false),
            rows: 1,
            columns: [.init(name: "text")]
        )
        #expect(
            TableStatements(table).reads.map(\.sql) == [
                "SELECT rowid FROM search WHERE search MATCH ? LIMIT 50"
            ]
        )
        #expect(TableStatements(table).write == nil)
        table.kind = .fullText(ownsContent: true)
        #expect(
            TableStatements(table).write?.sql == "UPDATE search SET text = ? WHERE rowid = ?"
        )
    }
}
