import CSQLite
import TestSupport
import Testing

@testable import SQLiteEngine

struct StatementCacheTests {
    @Test func theSameTextReturnsTheSameStatement() throws {
        let db = try Database.inMemory()
        let texts = (0..<10).map { "SELECT \($0)" }
        let first = try texts.map { try db.cachedStatement(sql: $0) }
        let second = try texts.reversed().map { try db.cachedStatement(sql: $0) }
        #expect(zip(first, second.reversed()).allSatisfy { $0 === $1 })
    }

    @Test func aRunningStatementIsNotReturnedTwice() throws {
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

    @Test func equivalentSQLWithDifferentBytesIsNotShared() throws {
        let db = try Database.inMemory()
        let composed = try db.cachedStatement(sql: "SELECT hex('\u{E9}')")
        let decomposed = try db.cachedStatement(sql: "SELECT hex('e\u{301}')")
        #expect(try String.fetchOne(composed) == "C3A9")
        #expect(try String.fetchOne(decomposed) == "65CC81")
        // The same combining marks in another order compare equal and have equal length.
        let below = try db.cachedStatement(sql: "SELECT hex('a\u{323}\u{307}')")
        let above = try db.cachedStatement(sql: "SELECT hex('a\u{307}\u{323}')")
        #expect(try String.fetchOne(below) == "61CCA3CC87")
        #expect(try String.fetchOne(above) == "61CC87CCA3")
        // The Kelvin sign compares equal to the letter K.
        let letter = try db.cachedStatement(sql: "SELECT hex('K')")
        let kelvin = try db.cachedStatement(sql: "SELECT hex('\u{212A}')")
        #expect(try String.fetchOne(letter) == "4B")
        #expect(try String.fetchOne(kelvin) == "E284AA")
    }

    @Test func theLeastRecentlyUsedStatementIsRemoved() throws {
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

    @Test func recentlyUsedStatementsRemainCached() throws {
        let db = try Database.inMemory()
        var random = SeededRandom(seed: 13)
        var cache = StatementCache()
        // The numbers of the statements that must remain, from the least to the most recently used.
        var expected: [Int] = []
        for _ in 0..<5_000 {
            // Some statements are used much more frequently than others.
            let bound = [5, 200, 400].randomElement(using: &random) ?? 5
            let number = Int.random(in: 0..<bound, using: &random)
            let sql = "SELECT \(number)"
            let isKept = expected.contains(number)
            expected.removeAll { $0 == number }
            expected.append(number)
            if expected.count > StatementCache.capacity { expected.removeFirst() }
            if let statement = cache.statement(sql: sql) {
                #expect(isKept)
                #expect(statement.sql == sql)
            } else {
                #expect(!isKept)
                try cache.insert(db.makeStatement(sql: sql), sql: sql)
            }
            #expect(cache.count == expected.count)
        }
    }

    @Test func removedStatementsReleaseTheirMemory() throws {
        let db = try Database.inMemory()
        var cache = StatementCache()
        for number in 0..<20 {
            let sql = "SELECT \(number)"
            try cache.insert(db.makeStatement(sql: sql), sql: sql)
        }
        #expect(cache.byteCount > 0)
        cache.removeAll { $0.sql.hasSuffix("1") }
        #expect(cache.count == 18)
        #expect(cache.statement(sql: "SELECT 11") == nil)
        #expect(cache.statement(sql: "SELECT 12") != nil)
        cache.removeAll { _ in true }
        #expect(cache.byteCount == 0)
        #expect(cache.count == 0)
    }

    /// Returns SQL of a given length in bytes that is quick to prepare.
    private func makeSQL(_ number: Int, length: Int) -> String {
        let start = "SELECT \(number), '"
        return start + String(repeating: "x", count: length - start.utf8.count - 1) + "'"
    }

    @Test(arguments: [true, false])
    func largeStatementsDoNotAccumulate(isFetched: Bool) throws {
        let db = try Database.inMemory()
        for number in 0..<50 {
            let sql = makeSQL(number, length: 200_000)
            if isFetched {
                _ = try Int.fetchOne(db, sql: sql)
            } else {
                _ = try Int.fetchOne(db.cachedStatement(sql: sql))
            }
        }
        var bytes: CInt = 0
        var highest: CInt = 0
        sqlite3_db_status(db.sqliteConnection, SQLITE_DBSTATUS_STMT_USED, &bytes, &highest, 0)
        #expect(bytes <= StatementCache.byteCapacity)
        let cache = isFetched ? db.fetchCache : db.statementCache
        #expect(cache.byteCount <= StatementCache.byteCapacity)
        #expect(cache.count > 1)
    }

    @Test func aStatementAboveTheLimitIsNotCachedAndDisplacesNoOtherStatement() throws {
        let db = try Database.inMemory()
        let kept = try db.cachedStatement(sql: "SELECT 1")
        let sql = makeSQL(2, length: 1_500_000)
        let large = try db.cachedStatement(sql: sql)
        #expect(try Int.fetchOne(large) == 2)
        #expect(try db.cachedStatement(sql: sql) !== large)
        #expect(try db.cachedStatement(sql: "SELECT 1") === kept)
    }
}
