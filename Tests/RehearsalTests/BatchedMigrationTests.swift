import Foundation
import TestSupport
import Testing

@testable import Rehearsal

struct BatchedMigrationTests {
    private let facts = BatchedMigration.Facts(
        tables: ["t", "new"].map { name in
            TableFacts(
                name: name,
                key: "id",
                hasRowIDs: true,
                columns: ["id", "a"],
                hasTriggers: false,
                isOrdinary: true
            )
        },
        freePages: 7,
        autoVacuum: 0
    )

    private func migration(_ sql: String, long: [Int]) throws -> BatchedMigration {
        let script = try MigrationScript(sql)
        return BatchedMigration(
            script,
            holds: script.statements.indices.map { long.contains($0) ? 100 : 0 },
            maximumHold: 50,
            facts: facts
        )
    }

    private func texts(_ migration: BatchedMigration) -> [String] {
        migration.steps.map { step in
            switch step {
            case .statement(let statement): statement.sql
            case .batches: "batches of line \(step.line)"
            }
        }
    }

    @Test func onlyLongStatementsAreDivided() throws {
        let migration = try migration("DELETE FROM t;\nDELETE FROM new", long: [1])
        #expect(texts(migration) == ["DELETE FROM t", "batches of line 2"])
        #expect(migration.remainders.isEmpty)
    }

    @Test func aTransactionAroundALongStatementBecomesSeveral() throws {
        let migration = try migration(
            "BEGIN;\nCREATE TABLE x (a);\nDELETE FROM t;\nDROP TABLE x;\nCOMMIT",
            long: [2]
        )
        #expect(
            texts(migration) == [
                "BEGIN", "CREATE TABLE x (a)", "COMMIT", "batches of line 3", "BEGIN IMMEDIATE",
                "DROP TABLE x", "COMMIT",
            ]
        )
        #expect(migration.notes.contains { $0.contains("becomes several") })
    }

    @Test func emptyTransactionsAreOmitted() throws {
        let migration = try migration("BEGIN; DELETE FROM t; COMMIT", long: [1])
        #expect(texts(migration) == ["batches of line 1"])
    }

    @Test(arguments: [
        ("CREATE INDEX i ON t (a)", "CREATE INDEX cannot be divided"),
        ("VACUUM", "VACUUM cannot be divided"),
        ("ANALYZE", "analysis_limit"),
        ("ALTER TABLE t DROP COLUMN a", "rewrites the table"),
        ("DROP TABLE t", "delete its rows in batches first"),
        ("CREATE TABLE x AS SELECT * FROM t", "INSERT … SELECT"),
        ("UPDATE t SET id = 2", "identifies the rows"),
    ])
    func otherLongStatementsRemainWithAReason(sql: String, reason: String) throws {
        let migration = try migration(sql, long: [0])
        #expect(texts(migration) == [sql])
        #expect(migration.remainders.count == 1)
        #expect(migration.remainders[0].reason.contains(reason))
    }

    @Test func incrementalVacuumIsProposedOnlyIfItWorks() throws {
        let script = try MigrationScript("VACUUM")
        let incremental = BatchedMigration.Facts(tables: [], freePages: 7, autoVacuum: 2)
        let reason = BatchedMigration(
            script,
            holds: [100],
            maximumHold: 50,
            facts: incremental
        ).remainders[0].reason
        #expect(reason.contains("frees the unused pages (now 7 pages)"))
    }

    @Test func literalsContainOnlyPrintableASCII() {
        #expect(BatchedScript.literal("a\"\\\nä😀") == #""a\"\\\n\U000000e4\U0001f600""#)
    }
}
