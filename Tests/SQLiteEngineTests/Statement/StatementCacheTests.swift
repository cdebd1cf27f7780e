import Testing

@testable import SQLiteEngine

struct StatementCacheTests {
    @Test func theSameTextGivesTheSameStatement() throws {
        let db = try Database.inMemory()
        let texts = (0..<10).map { "SELECT \($0)" }
        let first = try texts.map { try db.cachedStatement(sql: $0) }
        let second = try texts.reversed().map { try db.cachedStatement(sql: $0) }
        #expect(zip(first, second.reversed()).allSatisfy { $0 === $1 })
    }

    @Test func aStatementUnderWayIsNotGivenTwice() throws {
        let db = try Database.inMemory()
        let sql = "SELECT 1 UNION ALL SELECT 2"
        let first = try db.cachedStatement(sql: sql)
        #expect(try first.startStepping())
        let second = try db.cachedStatement(sql: sql)
        #expect(second !== first)
        #expect(try Int.fetchAll(second) == [1, 2])
        #expect(try first.continueStepping())
        first.abandon()
        #expect(try db.cachedStatement(sql: sql) === first)
    }

    @Test func equivalentTextsOfOtherBytesAreOtherStatements() throws {
        let db = try Database.inMemory()
        let composed = try db.cachedStatement(sql: "SELECT hex('\u{E9}')")
        let decomposed = try db.cachedStatement(sql: "SELECT hex('e\u{301}')")
        #expect(try String.fetchOne(composed) == "C3A9")
        #expect(try String.fetchOne(decomposed) == "65CC81")
        // The same marks in another order: equal, and of equal length.
        let below = try db.cachedStatement(sql: "SELECT hex('a\u{323}\u{307}')")
        let above = try db.cachedStatement(sql: "SELECT hex('a\u{307}\u{323}')")
        #expect(try String.fetchOne(below) == "61CCA3CC87")
        #expect(try String.fetchOne(above) == "61CC87CCA3")
        // The Kelvin sign equals the letter K.
        let letter = try db.cachedStatement(sql: "SELECT hex('K')")
        let kelvin = try db.cachedStatement(sql: "SELECT hex('\u{212A}')")
        #expect(try String.fetchOne(letter) == "4B")
        #expect(try String.fetchOne(kelvin) == "E284AA")
    }

    @Test func theStatementThatWasNotUsedForLongestMakesRoom() throws {
        let db = try Database.inMemory()
        let kept = try db.cachedStatement(sql: "SELECT 'kept'")
        let dropped = try db.cachedStatement(sql: "SELECT 'dropped'")
        for number in 0..<(StatementCache.capacity - 1) {
            _ = try db.cachedStatement(sql: "SELECT \(number)")
            _ = try db.cachedStatement(sql: "SELECT 'kept'")
        }
        #expect(try db.cachedStatement(sql: "SELECT 'kept'") === kept)
        #expect(try db.cachedStatement(sql: "SELECT 'dropped'") !== dropped)
    }
}
