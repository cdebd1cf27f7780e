import Foundation
import SQLiteEngine
import Testing

struct FoundationValueTests {
    @Test func uuidsAreStoredAsSixteenBytes() throws {
        let db = try Database.inMemory()
        let uuid = UUID()
        let statement = try db.makeStatement(sql: "SELECT ?")
        #expect(try Data.fetchOne(statement, arguments: [uuid])?.count == 16)
        #expect(try UUID.fetchOne(statement, arguments: [uuid]) == uuid)
        #expect(try UUID.fetchOne(statement, arguments: [uuid.uuidString]) == uuid)
        #expect(throws: RowDecodingError.self) {
            try UUID.fetchOne(statement, arguments: [Data(count: 15)])
        }
        let reference = try #require(NSUUID(uuidString: uuid.uuidString))
        #expect(reference.databaseValue == uuid.databaseValue)
        #expect(NSUUID.fromDatabaseValue(uuid.databaseValue)?.uuidString == uuid.uuidString)
    }

    @Test func decimalsKeepTheirDigits() throws {
        let db = try Database.inMemory()
        let decimal = try #require(Decimal(string: "12345678901234567890.0123456789"))
        let statement = try db.makeStatement(sql: "SELECT ?")
        #expect(try Decimal.fetchOne(statement, arguments: [decimal]) == decimal)
        #expect(try Decimal.fetchOne(statement, arguments: [3]) == 3)
        #expect(try Decimal.fetchOne(statement, arguments: [0.5]) == 0.5)
        #expect(try String.fetchOne(statement, arguments: [decimal]) == decimal.description)
    }

    @Test func urlsAreStoredAsText() throws {
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(url.databaseValue == "https://example.org/a?b=c".databaseValue)
        #expect(URL.fromDatabaseValue(url.databaseValue) == url)
        let reference = try #require(NSURL(string: "https://example.org"))
        #expect(reference.databaseValue == "https://example.org".databaseValue)
        #expect(NSURL.fromDatabaseValue(url.databaseValue)?.absoluteString == url.absoluteString)
    }

    @Test func numbersAreStoredAsIntegersOrReals() {
        #expect(NSNumber(value: Int64.max).databaseValue.storage == .int64(.max))
        #expect(NSNumber(value: 0.5).databaseValue.storage == .double(0.5))
        #expect(NSNumber(value: true).databaseValue.storage == .int64(1))
        #expect(NSNumber(value: UInt8(200)).databaseValue.storage == .int64(200))
        let large = NSDecimalNumber(string: "9223372036854775807")
        #expect(large.databaseValue.storage == .int64(.max))
        #expect(NSDecimalNumber(string: "1.5").databaseValue.storage == .double(1.5))
        #expect(NSNumber.fromDatabaseValue(5.databaseValue)?.intValue == 5)
        #expect(NSDecimalNumber.fromDatabaseValue("1.5".databaseValue) == 1.5)
    }

    @Test func otherFoundationClassesMatchTheirValueTypes() {
        let text: NSString = "text"
        #expect(text.databaseValue == "text".databaseValue)
        #expect(NSString.fromDatabaseValue("text".databaseValue) == text)
        let data = NSData(data: Data([1, 2]))
        #expect(data.databaseValue == Data([1, 2]).databaseValue)
        #expect(NSData.fromDatabaseValue(data.databaseValue) == data)
        #expect(NSNull().databaseValue == .null)
        #expect(CGFloat.fromDatabaseValue(1.5.databaseValue) == 1.5)
        let date = NSDate(timeIntervalSince1970: 1)
        #expect(NSDate.fromDatabaseValue(date.databaseValue)?.timeIntervalSince1970 == 1)
        #expect(StatementArguments([1, "a", NSNull()] as [Any])?.description == "[1, \"a\", NULL]")
        #expect(StatementArguments([[1]] as [Any]) == nil)
    }

    @Test(arguments: ["9e999", "-9e999", "1e300", "-1e300", "1e-300"])
    func realsBeyondTheRangeOfDecimalsAreErrors(sql: String) throws {
        try DatabaseQueue().read { (db: Database) throws -> Void in
            let sql = "SELECT \(sql) AS x"
            #expect(throws: RowDecodingError.self) { try Decimal.fetchOne(db, sql: sql) }
            #expect(throws: RowDecodingError.self) { try NSDecimalNumber.fetchOne(db, sql: sql) }
            let row = try #require(try Row.fetchOne(db, sql: sql))
            #expect(throws: RowDecodingError.self) { try row.decode(Decimal.self, forColumn: "x") }
        }
        #expect(Decimal.fromDatabaseValue("NaN".databaseValue) == nil)
        #expect(Decimal.fromDatabaseValue(0.0.databaseValue) == 0)
        #expect(Decimal.fromDatabaseValue(1e100.databaseValue) == Decimal(1e100))
    }
}
