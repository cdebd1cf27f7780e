import TestSupport
import Testing

@testable import SQLTrace

struct StatementTextTests {
    @Test(arguments: [
        ("select * from t where a = 5", "select * from t where a = ?"),
        ("SELECT 'it''s', 1.5e-3, x'00ff', 0x1F, .5", "SELECT ?, ?, ?, ?, ?"),
        (
            "select a>=1, b<>2, c||'x', d->'$.a'->>'b', e!=f, g==h, i<<2, j>>k, l->>2",
            "select a >= ?, b <> ?, c || ?, d -> '$.a' ->> 'b', e != f, g == h, i << ?, j >> k, l ->> ?"
        ),
        ("select a -- secret\n from t /* secret */", "select a from t"),
        ("select ?1, ?, :name, @x, $y", "select ?, ?, :name, @x, $y"),
        ("select * from t where a in (1, 2,3)", "select * from t where a in (?…)"),
        ("insert into t values (?, ?, 3)", "insert into t values (?, ?, ?)"),
        ("select * from t where a in (7)", "select * from t where a in (?)"),
        ("insert into t values (1,'a'),(2,'b'),(3,'c')", "insert into t values (?, ?)…"),
        (
            #"SELECT "u"."id" FROM "u" WHERE "u"."name" = "secret""#,
            #"SELECT "u"."id" FROM "u" WHERE "u"."name" = ?"#
        ),
        (
            #"INSERT INTO "u" ("id", "name") VALUES (1, "secret")"#,
            #"INSERT INTO "u" ("id", "name") VALUES (?, ?)"#
        ),
        ("select [a b], `c d` from t;", "select [a b], `c d` from t;"),
        ("select 'unclosed secret", "select ?"),
        ("select count(*) from t", "select count(*) from t"),
    ])
    func normalizationMasksLiterals(text: String, expected: String) {
        #expect(StatementText.normalized(text) == expected)
    }

    @Test(arguments: [
        #"INSERT INTO u VALUES ("S3CRET")"#, #"REPLACE INTO u VALUES ("S3CRET")"#,
        #"insert or ignore into u values ("S3CRET")"#, #"INSERT INTO main.u VALUES("S3CRET")"#,
        #"INSERT INTO "u" VALUES ("a", "S3CRET")"#, #"INSERT INTO u AS w VALUES ("S3CRET")"#,
        #"INSERT INTO u(a) VALUES ("S3CRET")"#, #"INSERT INTO u SELECT coalesce("S3CRET")"#,
        #"INSERT INTO u SELECT "S3CRET""#, #"INSERT INTO u SELECT upper("S3CRET") FROM t"#,
        #"INSERT INTO u(a) SELECT ("S3CRET")"#,
        #"INSERT INTO u WITH w("S3CRET") AS (SELECT 1) SELECT 1"#,
        #"INSERT INTO u DEFAULT VALUES RETURNING ("S3CRET")"#,
        #"INSERT INTO u VALUES (1) ON CONFLICT DO UPDATE SET a = coalesce("S3CRET")"#,
        #"SELECT * FROM u WHERE x IS DISTINCT FROM "S3CRET""#,
        #"SELECT * FROM u WHERE x is not distinct from "S3CRET""#,
        #"SELECT * FROM u WHERE x IN ("S3CRET")"#, #"SELECT * FROM u WHERE x LIKE "S3CRET""#,
        #"UPDATE u SET a = "S3CRET""#, #"DELETE FROM u WHERE a = "S3CRET""#,
        #"VACUUM INTO "S3CRET""#, #"VACUUM main INTO "S3CRET""#,
        #"SELECT json_extract(x, "S3CRET") FROM "u""#, #"SELECT max("S3CRET")"#,
    ])
    func doubleQuotedValuesAreMasked(text: String) {
        #expect(!StatementText.normalized(text).contains("S3CRET"))
    }

    @Test(arguments: [
        #"INSERT INTO "u"("a", "b") SELECT 1, 2 FROM "t""#,
        #"INSERT INTO "m"."u" AS w("a") SELECT 1"#,
        #"REPLACE INTO u("a") SELECT a FROM "t""#, #"INSERT OR IGNORE INTO "u"("a") SELECT 1"#,
        #"SELECT DISTINCT a FROM "t" JOIN "u""#, #"RELEASE "s""#, #"ROLLBACK TO "s""#,
        #"ALTER TABLE "t" RENAME TO "u""#,
    ])
    func doubleQuotedNamesAreShown(text: String) {
        let shown = StatementText.normalized(text).replacing(" (", with: "(").replacing(
            "?",
            with: "1"
        )
        #expect(shown == text.replacing("2", with: "1"))
    }

    @Test func doubleQuotedSchemaNamesAreKept() {
        let text = #"SELECT "a" FROM t ORDER BY "b""#
        #expect(StatementText.normalized(text) == "SELECT ? FROM t ORDER BY ?")
        #expect(StatementText.normalized(text, identifiers: ["a", "b"]) == text)
    }

    @Test(arguments: [
        "PRAGMA key = 'S3CRET'", "pragma main.key='S3CRET'", "PRAGMA rekey(\"S3CRET\")",
        "pragma hexkey = 'S3CRET';", "PRAGMA /* c */ \"key\" = S3CRET",
        "ATTACH 'x.db' AS x KEY 'S3CRET'", "attach database 'x' as x key \"S3CRET\"",
        "ATTACH 'file:x?key=S3CRET' AS x", "SELECT 1; PRAGMA key = 'S3CRET'; SELECT 2",
        "PRAGMA key = 'a''S3CRET'", "EXPLAIN PRAGMA key = 'S3CRET'",
        "PRAGMA key = x'S3CRET", "PRAGMA key = --\n'S3CRET'",
        "EXPLAIN QUERY PLAN ATTACH 'x' AS x KEY 'S3CRET'", "explain query plan pragma key='S3CRET'",
        "VACUUM INTO 'file:x?key=S3CRET'", "vacuum main into \"file:x?hexkey=S3CRET\"",
        "ATTACH [file:x?key=S3CRET] AS x", "ATTACH `file:x?key=S3CRET` AS x",
        "EXPLAIN VACUUM INTO `file:x?key=S3CRET`", "ATTACH 'file:x?%6bey=S3CRET' AS x",
        "ATTACH 'file:x?ke' || 'y=S3CRET' AS x",
    ])
    func keysAreHiddenInEveryForm(text: String) {
        #expect(!SecretKeys.redacted(text).contains("S3CRET"))
        #expect(!StatementText.normalized(text).contains("S3CRET"))
        #expect(SecretKeys.contains(text))
        #expect(SecretKeys.contains(SecretKeys.redacted(text)))
    }

    @Test func otherStatementsAreNotRedacted() {
        for text in [
            "select key from t where key = 5", "PRAGMA journal_mode = wal", "ATTACH 'a' AS b",
            "VACUUM", "VACUUM INTO 'copy.db'", "SELECT vacuum, key FROM t WHERE a || 'b' = 'key=1'",
        ] {
            #expect(SecretKeys.redacted(text) == text)
        }
    }

    @Test func anyTextIsNormalized() {
        var random = SeededRandom(seed: 15)
        let characters = Array("select'\"`[]();-/*x1.?:@$ \n\u{e9}PRAGMA key=")
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    characters.randomElement(using: &random) ?? " "
                }
            )
            _ = StatementText.normalized(text)
        }
    }
}
