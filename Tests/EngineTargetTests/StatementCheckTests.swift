import EngineTarget
import Foundation
import SQLiteEngine
import Scenarios
import Testing
import WorkloadEngine

/// Tests errors in scenarios that only a database can detect, and their reported positions.
struct StatementCheckTests {
    private static let good = """
        version: 1
        name: good
        dataset:
          schema: CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT)
          rows: {notes: {count: 10, columns: {id: sequence, title: {distribution: text, length: 9}}}}
        arms:
          pool: {type: pool}
          indexed: {type: queue, setup: CREATE INDEX by_title ON notes (title)}
        phases: [{name: steady, duration: 1s}]
        transactions:
          rename: UPDATE notes SET title = 'x' WHERE id = :notes_id
        clients:
          look: {access: read, sql: SELECT title FROM notes WHERE id = :notes_id}
          write: {access: write, use: rename}
        """

    private func check(_ yaml: String, file: String = "f") throws {
        try StatementCheck(EngineTargetFactory()).check(Scenario.parse(yaml: yaml, file: file))
    }

    @Test func theUnchangedScenarioIsValid() throws {
        try check(Self.good)
    }

    @Test(arguments: [
        (
            "SELECT title FROM", "SELECT titel FROM",
            "f:13:29: 'SELECT titel FROM notes WHERE id = :notes_id' of client 'look' cannot be "
                + "prepared: no such column: titel; did you mean 'title'?"
        ),
        (
            "title FROM notes WHERE", "title FROM note WHERE",
            "f:13:29: 'SELECT title FROM note WHERE id = :notes_id' of client 'look' cannot be "
                + "prepared: no such table: note; did you mean 'notes'?"
        ),
        (
            "UPDATE notes", "UPDATE nots",
            "f:11:11: 'UPDATE nots SET title = 'x' WHERE id = :notes_id' of transaction 'rename' "
                + "cannot be prepared: no such table: nots; did you mean 'notes'?"
        ),
        (
            "ON notes (title)", "ON notes (tilte)",
            "f:8:33: 'CREATE INDEX by_title ON notes (tilte)' of arm 'indexed' fails: "
                + "no such column: tilte; did you mean 'title'?"
        ),
    ])
    func anErrorReportsItsPosition(old: String, new: String, issue: String) throws {
        try #require(Self.good.contains(old))
        let yaml = Self.good.replacing(old, with: new, maxReplacements: 1)
        let error = #expect(throws: ScenarioError.self) { try check(yaml) }
        #expect(error?.description == issue)
    }

    @Test(arguments: ["BEGIN", "BEGIN IMMEDIATE", "COMMIT", "end", "ROLLBACK"])
    func aTransactionInsideATransactionIsRejected(statement: String) throws {
        let yaml = Self.good.replacing(
            "rename: UPDATE notes",
            with: "rename: \(statement); UPDATE notes"
        )
        let error = #expect(throws: ScenarioError.self) { try check(yaml) }
        let verb = statement.split(separator: " ")[0].uppercased()
        let message =
            "client 'write': an access starts and ends its own transaction; remove \(verb)"
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.hasPrefix("f:11:") == true)
        #expect(error?.issues.count == 1)
    }

    @Test func savepointsInsideATransactionAreAllowed() throws {
        let savepoints = "SAVEPOINT s; ROLLBACK TO s; RELEASE s; UPDATE notes"
        try check(Self.good.replacing("rename: UPDATE notes", with: "rename: \(savepoints)"))
    }

    @Test func aMissingColumnIsReportedAtItsTable() throws {
        let yaml = Self.good.replacing("title: {distribution", with: "titel: {distribution")
        let error = #expect(throws: ScenarioError.self) { try check(yaml) }
        #expect(error?.issues.first?.line == 5)
        #expect(error?.issues.first?.message.hasPrefix("table 'notes': ") == true)
        #expect(
            error?.description.contains("no such column: titel; did you mean 'title'?") == true
        )
    }

    @Test func anInvalidTableIsReportedAtItsStatement() throws {
        let yaml = Self.good.replacing("CREATE TABLE", with: "CREATE TABEL")
        let error = #expect(throws: ScenarioError.self) { try check(yaml) }
        #expect(error?.issues.count == 1)
        #expect(error?.description.hasPrefix("f:4:11: 'CREATE TABEL notes") == true)
        #expect(error?.description.contains("of the dataset fails: ") == true)
        #expect(error?.description.contains("syntax error") == true)
        #expect(error?.description.contains("while executing") == false)
    }

    @Test func aCopiedDatabaseIsCheckedAndUnchanged() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("app.sqlite").path
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA journal_mode = WAL; CREATE TABLE own (a)")
            }
            try queue.close()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let yaml = """
                version: 1
                name: own
                dataset: {file: app.sqlite}
                arms: {pool: {type: pool}}
                phases: [{name: steady, duration: 1s}]
                clients: {look: {access: read, sql: SELECT a FROM own}}
                """
            let file = folder.appendingPathComponent("own.yaml").path
            try check(yaml, file: file)
            let wrong = yaml.replacing("FROM own", with: "FROM won")
            #expect(throws: ScenarioError.self) { try check(wrong, file: file) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        }
    }

    @Test func aFileThatIsNotADatabaseIsAnError() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("text.sqlite")
            try Data(String(repeating: "no database at all\n", count: 99).utf8).write(to: file)
            let yaml = Self.good.replacing(
                "pool: {type: pool}",
                with: "pool: {type: pool, file: \(file.path)}"
            )
            let error = #expect(throws: ScenarioError.self) { try check(yaml) }
            #expect(error?.description.contains("not a database") == true)
        }
    }

    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
