import SQLText
import Testing

struct SQLStatementKindTests {
    @Test(arguments: [
        ("BEGIN", SQLStatementKind.begin(.deferred)),
        (" -- why\n /* because */ begin immediate transaction", .begin(.immediate)),
        ("BEGIN EXCLUSIVE TRANSACTION", .begin(.exclusive)), ("begin;", .begin(.deferred)),
        ("COMMIT TRANSACTION", .commit), ("END", .commit), (";; end", .commit),
        ("ROLLBACK", .rollback), ("ROLLBACK TRANSACTION", .rollback),
        ("ROLLBACK TRANSACTION name", .rollback), ("ROLLBACK TO a", .rollbackTo("a")),
        ("ROLLBACK TRANSACTION name TO a", .rollbackTo("a")),
        ("rollback transaction to savepoint \"a \"\"b\"\"\"", .rollbackTo("a \"b\"")),
        ("SAVEPOINT a", .savepoint("a")), ("SAVEPOINT [a b]", .savepoint("a b")),
        ("RELEASE a", .release("a")), ("RELEASE SAVEPOINT 'a'", .release("a")),
        ("RELEASE savepoint", .release("savepoint")),
        ("CREATE TABLE t (a)", .schemaChange), ("drop view v", .schemaChange),
        ("ANALYZE", .schemaChange), ("REINDEX", .reindex), ("attach 'a' as b", .attachment),
        ("VACUUM", .vacuum(isInto: false)), ("vacuum main into 'a'", .vacuum(isInto: true)),
        ("VACUUM INTO 'a'", .vacuum(isInto: true)), ("VACUUM main", .vacuum(isInto: false)),
        ("PRAGMA journal_mode", .pragma(name: "journal_mode", isQuery: true)),
        ("pragma main . \"Journal_Mode\" = wal;", .pragma(name: "journal_mode", isQuery: false)),
        ("PRAGMA optimize;", .pragma(name: "optimize", isQuery: true)),
        ("PRAGMA", .pragma(name: "", isQuery: true)),
        ("-- c\ninsert into t values(1)", .change), ("replace into t values (1)", .change),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", .change),
        ("WITH a AS (SELECT 1) SELECT * FROM a; DELETE FROM t", .other),
        ("WITH a(x) AS NOT MATERIALIZED (DELETE) SELECT replace(1, 2, 3)", .other),
        ("SELECT 1", .other), ("SELECTED", .other), ("BEGINS", .other), ("'begin'", .other),
        ("EXPLAIN ROLLBACK", .other), ("", .other), (";", .other), ("\u{0B}begin", .other),
    ])
    func theFirstWordsDetermineTheKind(sql: String, kind: SQLStatementKind) {
        #expect(SQLStatementKind(sql) == kind)
    }

    @Test(arguments: [
        ("a;b", ["a", "b"]), (" a ; -- c\n ; b -- d", ["a", "b"]),
        ("';' ; \";\"", ["';'", "\";\""]),
        (
            "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END; c",
            ["CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END", "c"]
        ),
        ("a; 'open", ["a", "'open"]), ("a; /* open", ["a"]), ("", []), (";;", []),
    ])
    func semicolonsSeparateStatements(sql: String, statements: [String]) {
        #expect(SQLStatements.texts(in: sql) == statements)
    }

    @Test(arguments: [
        ("BEGIN; INSERT INTO t VALUES (1)", false), ("BEGIN; COMMIT", true), ("SELECT 1", true),
        ("SAVEPOINT s; ROLLBACK TO s", false), ("BEGIN; ROLLBACK", true),
        (
            "BEGIN; CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END", false
        ),
    ])
    func statementsDetermineTheAutocommitMode(sql: String, isAutocommit: Bool) {
        #expect(SQLStatements.autocommit(after: sql, from: true) == isAutocommit)
    }
}
