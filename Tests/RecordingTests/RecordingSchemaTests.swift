import Foundation
import SQLiteEngine
import Testing

@testable import Recording

/// Tests malicious files that contain SQL for SQLite to run.
struct RecordingSchemaTests {
    private static let endless = """
        WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT max(a) FROM n
        """

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "ALTER TABLE event RENAME TO e; CREATE VIEW event AS \(endless)",
            "CREATE TRIGGER t BEFORE INSERT ON session BEGIN \(endless); END",
            "ALTER TABLE gap ADD COLUMN b AS (zeroblob(1000000000))",
            "CREATE INDEX i ON session (hex(zeroblob(100000000)))",
            "CREATE VIRTUAL TABLE v USING fts5(a)",
        ]
    )
    func aFileWithOtherObjectsIsRejected(sql: String) throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<3)
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
            let expected = "which is not an ordinary table"
            #expect(refusal { _ = try RecordingReader(path: path) }?.contains(expected) == true)
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let message = refusal { try Fixture.write(path, seconds: 3..<4) }
            #expect(message?.contains(expected) == true, "\(message ?? "")")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test func tablesOfLaterVersionsAreIgnored() throws {
        try withFile { path in
            try Fixture.write(path, seconds: 0..<3)
            let queue = try DatabaseQueue(path: path)
            try queue.write {
                try $0.execute(sql: "CREATE TABLE later (a); ALTER TABLE gap ADD COLUMN b")
            }
            try queue.close()
            #expect(try RecordingReader(path: path).contents.rows.count == 3)
        }
    }
}
