import Foundation
import SQLiteEngine
import Testing

struct CodableValueTests {
    private struct Point: Codable, Equatable, DatabaseValueConvertible {
        var y: Int
        var x: Int
        var label: String?
    }

    private struct Name: Codable, Equatable, DatabaseValueConvertible {
        var text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct Tags: Codable, Equatable, DatabaseValueConvertible {
        var tags: [String]

        init(tags: [String]) { self.tags = tags }

        init(from decoder: any Decoder) throws { tags = try [String](from: decoder) }

        func encode(to encoder: any Encoder) throws { try tags.encode(to: encoder) }
    }

    private enum Level: Int, Codable, DatabaseValueConvertible {
        case low = 1
        case high = 9
    }

    private struct Stamp: RawRepresentable, Codable, DatabaseValueConvertible {
        var rawValue: Date
    }

    @Test func structuresAreJSON() {
        let point = Point(y: 2, x: 1, label: nil)
        #expect(point.databaseValue == #"{"x":1,"y":2}"#.databaseValue)
        #expect(Point.fromDatabaseValue(point.databaseValue) == point)
        #expect(Point.fromDatabaseValue(#"{"x":1}"#.databaseValue) == nil)
        #expect(Point.fromDatabaseValue(.null) == nil)
        let tags = Tags(tags: ["a", "b"])
        #expect(tags.databaseValue == #"["a","b"]"#.databaseValue)
        #expect(Tags.fromDatabaseValue(tags.databaseValue) == tags)
        #expect(Tags(tags: []).databaseValue == "[]".databaseValue)
    }

    @Test func singleValuesAreStoredUnchanged() {
        #expect(Name(text: "a").databaseValue == "a".databaseValue)
        #expect(Name.fromDatabaseValue("a".databaseValue) == Name(text: "a"))
        #expect(Name.fromDatabaseValue(1.databaseValue) == nil)
        #expect(Level.high.databaseValue == 9.databaseValue)
        #expect(Level.fromDatabaseValue(1.databaseValue) == .low)
        #expect(Level.fromDatabaseValue(2.databaseValue) == nil)
        let stamp = Stamp(rawValue: Date(timeIntervalSince1970: 0))
        #expect(stamp.databaseValue == "1970-01-01 00:00:00.000".databaseValue)
    }

    @Test func convertibleValuesAreFetched() throws {
        let db = try Database.inMemory()
        let sql = "SELECT 1 UNION ALL SELECT 9 UNION ALL SELECT NULL"
        #expect(try Level.fetchOne(db, sql: sql) == .low)
        #expect(try Level?.fetchAll(db, sql: sql) == [.low, .high, nil])
        #expect(try Level?.fetchSet(db, sql: sql).count == 3)
        #expect(throws: RowDecodingError.self) { try Level.fetchAll(db, sql: sql) }
        #expect(throws: RowDecodingError.self) { try Level.fetchOne(db, sql: "SELECT 2") }
        #expect(try Level.fetchOne(db, sql: "SELECT NULL") == nil)
        let levels = try Level.fetchCursor(db, sql: sql)
        #expect(try levels.next() == .low)
        let row = try #require(try Row.fetchOne(db, sql: "SELECT 9 AS level"))
        #expect(row["level"] as Level == .high)
    }
}
