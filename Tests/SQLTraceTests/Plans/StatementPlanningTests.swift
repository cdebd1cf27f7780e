#if os(Linux)
import Foundation
import Testing

@testable import SQLTrace

@Suite(.timeLimit(.minutes(1)))
struct StatementPlanningTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("planning-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(arguments: [
        "CREATE TABLE t(x); ATTACH 'PATH' AS a; CREATE TABLE a.t(y);",
        "ATTACH 'PATH' AS a", "VACUUM INTO 'PATH'", "CREATE TABLE t(x); VACUUM INTO 'PATH'",
        "/* CREATE TABLE */ ATTACH 'PATH' AS a",
        "CREATE VIRTUAL TABLE t USING fts5(x); ATTACH 'PATH' AS a; CREATE TABLE a.t(y)",
        "PRAGMA temp_store_directory = 'PATH'", "CREATE TEMP TABLE t(x)",
        "CREATE TABLE t AS SELECT load_extension('PATH')",
    ])
    func schemaTextCannotWriteFiles(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("written").path
        let schema = [text.replacing("PATH", with: path), "CREATE TABLE last(z)"]
        let statements = [
            "ATTACH '\(path)' AS a", "VACUUM INTO '\(path)'",
            "SELECT z FROM last; VACUUM INTO '\(path)'",
        ]
        let response = try #require(StatementPlanning.response(to: statements, schema: schema))
        #expect(response.names.contains("last"))
        #expect(response.plans[0].isEmpty && response.plans[1].isEmpty)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func eachKindOfSchemaStatementIsCreated() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let schema = [
            "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT DEFAULT (lower('X')), c AS (b || 1))",
            "CREATE UNIQUE INDEX tb ON t(b) WHERE b IS NOT NULL", "create index td on t(length(c))",
            "CREATE VIEW v(x) AS WITH w AS (SELECT a FROM t) SELECT a FROM w",
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET b = new.a; END",
            "CREATE TABLE u(k PRIMARY KEY, v) WITHOUT ROWID",
        ]
        let response = try #require(
            StatementPlanning.response(
                to: [
                    "SELECT x FROM v WHERE x = 1", "INSERT INTO t(b) VALUES ('y')",
                    "UPDATE t SET b = 1 WHERE length(c) = 3", "SELECT * FROM u WHERE k = ?",
                    "DELETE FROM u WHERE v IN (SELECT b FROM t WHERE b = 'z')",
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
                    "SELECT nothing FROM nowhere",
                ],
                schema: schema
            )
        )
        #expect(Set(["t", "tb", "td", "v", "r", "u", "a", "b", "k"]).isSubset(of: response.names))
        #expect(response.plans[0] == ["SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"])
        #expect(response.plans[2].first?.contains("td") ?? false)
        #expect(response.plans[3].first?.contains("PRIMARY KEY (k=?)") ?? false)
        #expect(!response.plans[4].isEmpty && !response.plans[5].isEmpty)
        #expect(response.plans[6].isEmpty)
    }
}
#endif
