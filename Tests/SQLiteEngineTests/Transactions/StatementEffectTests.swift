import Testing

@testable import SQLiteEngine

struct StatementEffectTests {
    @Test(
        arguments: [
            ("BEGIN", StatementEffect.beginTransaction),
            (" -- why\n /* because */ begin immediate transaction", .beginTransaction),
            ("COMMIT TRANSACTION", .commitTransaction),
            ("END", .commitTransaction),
            ("ROLLBACK", .rollbackTransaction),
            ("ROLLBACK TRANSACTION", .rollbackTransaction),
            ("ROLLBACK TRANSACTION name", .rollbackTransaction),
            ("ROLLBACK TO a", .rollbackToSavepoint("a")),
            ("rollback transaction to savepoint \"a \"\"b\"\"\"", .rollbackToSavepoint("a \"b\"")),
            ("SAVEPOINT a", .beginSavepoint("a")),
            ("SAVEPOINT [a b]", .beginSavepoint("a b")),
            ("RELEASE a", .releaseSavepoint("a")),
            ("RELEASE SAVEPOINT 'a'", .releaseSavepoint("a")),
            ("CREATE TABLE t (a)", .schemaChange),
            ("drop view v", .schemaChange),
            ("SELECT 1", .none),
            ("SELECTED", .none),
            ("EXPLAIN ROLLBACK", .none),
            ("", .none),
        ]
    )
    func theFirstWordsDetermineTheEffect(sql: String, effect: StatementEffect) {
        sql.withCString { #expect(StatementEffect($0) == effect) }
    }
}
