import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests text that is quoted as an SQL literal or as an identifier.
struct HostileTextTests {
    @Test(arguments: HostileStrings.all)
    func aLiteralHasTheValueOfItsText(text: String) throws {
        let queue = try DatabaseQueue()
        let value = text.databaseValue
        try queue.read { db in
            let result = try String.fetchOne(db, sql: "SELECT \(value.sqlLiteral)")
            #expect(result.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test(arguments: HostileStrings.withoutNUL)
    func aQuotedNameIsASingleIdentifier(text: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            let name = text.quotedIdentifier
            try db.execute(sql: "CREATE TABLE \(name) (\(name) TEXT); SELECT \(name) FROM \(name)")
            let result = try String.fetchOne(db, sql: "SELECT name FROM sqlite_schema")
            #expect(result.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    @Test func aQuoteBeforeACombiningCharacterIsDoubled() {
        #expect(
            Array("'\u{301}".quoted(by: "'").unicodeScalars) == ["'", "'", "'", "\u{301}", "'"]
        )
        #expect("''a''".undoubling("'") == "'a'")
        #expect(Array("''\u{301}".undoubling("'").unicodeScalars) == ["'", "\u{301}"])
    }
}
