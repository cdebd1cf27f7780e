import Testing

@testable import Rehearsal

struct MigrationScriptTests {
    @Test func statementsHaveTheirLines() throws {
        let script = try MigrationScript(
            """
            -- A comment; with a semicolon.
            BEGIN;
              UPDATE a SET b = ';';

            CREATE TRIGGER t AFTER INSERT ON a BEGIN
              DELETE FROM a; SELECT 1;
            END; COMMIT
            """
        )
        #expect(script.statements.map(\.line) == [2, 3, 5, 7])
        #expect(script.statements[1].sql == "UPDATE a SET b = ';'")
        #expect(!script.endsInTransaction)
    }

    @Test func aCommandOfTheShellIsAnErrorWithItsLine() {
        #expect(throws: MigrationScript.Problem.self) { try MigrationScript("\n.read other.sql\n") }
        do {
            _ = try MigrationScript("SELECT 1;\n.read other.sql\n")
        } catch {
            #expect(error.line == 2)
            #expect(error.message.hasPrefix("'.read' is a command of the shell sqlite3"))
        }
    }

    @Test func aScriptWithoutStatementsIsAnError() {
        for text in ["", "-- nothing", ";;\n"] {
            #expect(throws: MigrationScript.Problem.self, "\(text)") { try MigrationScript(text) }
        }
    }

    @Test func anOpenTransactionAtTheEndIsFound() throws {
        #expect(try MigrationScript("BEGIN; DELETE FROM a").endsInTransaction)
        #expect(try !MigrationScript("BEGIN; DELETE FROM a; END").endsInTransaction)
    }

    @Test func aSummaryIsOneShortLine() throws {
        let script = try MigrationScript("SELECT\n  'a',\t'\(String(repeating: "x", count: 100))'")
        let summary = script.statements[0].summary(length: 20)
        #expect(summary.count == 20)
        #expect(summary.hasPrefix("SELECT 'a', 'xx"))
    }
}
