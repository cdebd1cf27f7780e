import Foundation
import SQLiteEngine
import TestSupport
import Testing

struct DateTests {
    @Test func datesAreStoredAsTextInUTC() throws {
        let date = Date(timeIntervalSince1970: 1_795_253_415.25)
        #expect(date.databaseValue == "2026-11-21 09:30:15.250".databaseValue)
        #expect(Date(timeIntervalSince1970: 0).databaseValue.description.contains("1970-01-01"))
        let early = Date(timeIntervalSince1970: -0.001)
        #expect(early.databaseValue == "1969-12-31 23:59:59.999".databaseValue)
    }

    /// Compares dates with the results of SQLite's date functions.
    @Test func datesMatchTheDateFunctionsOfSQLite() throws {
        let db = try Database.inMemory()
        let statement = try db.makeStatement(sql: "SELECT CAST(strftime('%s', ?) AS INTEGER)")
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let seconds = Int.random(in: -62_167_219_200..<253_402_300_800, using: &random)
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(try Int.fetchOne(statement, arguments: [date]) == seconds)
            #expect(Date.fromDatabaseValue(date.databaseValue) == date)
        }
    }

    @Test func millisecondsAreReadBackUnchanged() {
        for millisecond in 0..<1000 {
            let date = Date(timeIntervalSince1970: 1_795_253_415 + Double(millisecond) / 1000)
            let decodedDate = Date.fromDatabaseValue(date.databaseValue)
            let difference = decodedDate.map { abs($0.timeIntervalSince(date)) } ?? 1
            #expect(difference < 1e-6)
        }
        let between = Date(timeIntervalSince1970: 0.0019)
        #expect(between.databaseValue == "1970-01-01 00:00:00.002".databaseValue)
    }

    /// GRDB stores the text of this formatter, and moved programs search for it.
    @Test func dateTextEqualsThatOfFoundation() {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        var random = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            // Foundation uses the Julian calendar before 1582.
            let range = Double(-12_219_292_800)..<Double(253_402_300_799)
            let date = Date(timeIntervalSince1970: Double.random(in: range, using: &random))
            #expect(date.databaseValue == formatter.string(from: date).databaseValue)
        }
    }

    @Test func datesBeyondFourDigitsAreNumbers() {
        let date = Date(timeIntervalSince1970: 300_000_000_000)
        #expect(date.databaseValue == 300_000_000_000.databaseValue)
        #expect(Date.fromDatabaseValue(date.databaseValue) == date)
    }

    @Test(arguments: [
        ("2026-11-21", DatabaseDateComponents.Format.YMD),
        ("2026-11-21 09:30", .YMD_HM),
        ("2026-11-21 09:30:15", .YMD_HMS),
        ("2026-11-21 09:30:15.250", .YMD_HMSS),
        ("09:30", .HM),
        ("09:30:15", .HMS),
        ("09:30:15.250", .HMSS),
    ])
    func componentsAreReadBackUnchanged(text: String, format: DatabaseDateComponents.Format) throws
    {
        let components = try #require(
            DatabaseDateComponents.fromDatabaseValue(text.databaseValue)
        )
        #expect(components.format == format)
        #expect(components.databaseValue == text.databaseValue)
        let db = try Database.inMemory()
        let fetched = try DatabaseDateComponents.fetchOne(db, sql: "SELECT ?", arguments: [text])
        #expect(fetched?.dateComponents == components.dateComponents)
        #expect((Date.fromDatabaseValue(text.databaseValue) != nil) == text.contains("-"))
    }

    @Test(arguments: [
        "2026-11-21T09:30:15Z", "2026-11-21T10:30:15+01:00", "2026-11-21 08:00:15-01:30",
        "2026-11-21 09:30:15.0000001Z",
    ])
    func timeZonesAreRead(text: String) throws {
        let db = try Database.inMemory()
        let date = try Date.fetchOne(db, sql: "SELECT ?", arguments: [text])
        #expect(date == Date(timeIntervalSince1970: 1_795_253_415))
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-21x", "2026-11-21 ", "2026-11-21 9:30", "09:30:15.",
        "2026-11-21 09:30+1", "2026-11-21 09:30:15.250 UTC", "20261121",
    ])
    func otherTextIsNotADate(text: String) {
        #expect(Date.fromDatabaseValue(text.databaseValue) == nil)
        #expect(DatabaseDateComponents.fromDatabaseValue(text.databaseValue) == nil)
    }

    @Test func julianDaysMatchSQLite() throws {
        let db = try Database.inMemory()
        let day = try Double.fetchOne(db, sql: "SELECT julianday('2026-11-21 09:30:15')")
        let date = Date(julianDay: try #require(day))
        #expect(abs((date?.timeIntervalSince1970 ?? 0) - 1_795_253_415) < 0.002)
        #expect(Date(julianDay: .infinity) == nil)
        #expect(Date(julianDay: -1) == nil)
    }
}
