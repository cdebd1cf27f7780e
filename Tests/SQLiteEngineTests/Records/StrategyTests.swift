import Foundation
import Testing

@testable import SQLiteEngine

/// Tests the encoding and decoding of dates, data, UUIDs, and column names in records.
struct StrategyTests {
    private protocol Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) { get }
    }

    private struct Event<S: Strategies>: Codable, FetchableRecord, EncodableRecord {
        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy { S.dates.0 }
        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy { S.dates.1 }
        var date: Date
        var other: Date?
    }

    private enum Seconds: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.timeIntervalSince1970, .timeIntervalSince1970)
        }
    }
    private enum Reference: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.timeIntervalSinceReferenceDate, .timeIntervalSinceReferenceDate)
        }
    }
    private enum Milliseconds: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.millisecondsSince1970, .millisecondsSince1970)
        }
    }
    private enum WholeSeconds: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.secondsSince1970, .timeIntervalSince1970)
        }
    }
    private enum ISO: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.iso8601, .iso8601)
        }
    }
    private enum Years: Strategies {
        static let formatter: DateFormatter = {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "yyyy"
            return formatter
        }()
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (.formatted(formatter), .formatted(formatter))
        }
    }
    private enum Custom: Strategies {
        static var dates: (DatabaseDateEncodingStrategy, DatabaseDateDecodingStrategy) {
            (
                .custom { $0 == .distantPast ? nil : "then" },
                .custom { $0.isNull ? nil : Date(timeIntervalSince1970: 7) }
            )
        }
    }

    private func checkDates<S: Strategies>(
        _ strategies: S.Type,
        _ seconds: Double,
        _ stored: DatabaseValue,
        decodedSeconds: Double? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let event = Event<S>(date: date, other: nil)
        let values = try event.databaseDictionary
        #expect(values == ["date": stored, "other": .null], sourceLocation: location)
        // The record is decoded from a copied row, and directly from a statement.
        try DatabaseQueue().inDatabase { db in
            let arguments: StatementArguments = [stored, stored]
            let sql = "SELECT ? AS date, ? AS other"
            let row = try #require(try Row.fetchOne(db, sql: sql, arguments: arguments))
            let rows = [
                try Event<S>(row: row),
                try #require(try Event<S>.fetchOne(db, sql: sql, arguments: arguments)),
            ]
            for row in rows {
                #expect(
                    abs(row.date.timeIntervalSince1970 - (decodedSeconds ?? seconds)) < 0.0001,
                    sourceLocation: location
                )
                #expect(row.other == row.date, sourceLocation: location)
            }
            let none = try Event<S>(row: ["date": stored, "other": nil])
            #expect(none.other == nil, sourceLocation: location)
        }
    }

    @Test func datesAreDecodedFromAllFormats() throws {
        try checkDates(Seconds.self, 1.5, 1.5.databaseValue)
        try checkDates(Reference.self, 978_307_201.25, 1.25.databaseValue)
        try checkDates(Milliseconds.self, -1.2345, (-1235).databaseValue, decodedSeconds: -1.235)
        try checkDates(WholeSeconds.self, -0.5, (-1).databaseValue, decodedSeconds: -1)
        try checkDates(
            ISO.self,
            1_000_000_000.75,
            "2001-09-09T01:46:40Z".databaseValue,
            decodedSeconds: 1_000_000_000
        )
        try checkDates(Years.self, 978_307_200, "2001".databaseValue)
        try checkDates(Custom.self, 0, "then".databaseValue, decodedSeconds: 7)
    }

    @Test func aValueThatAStrategyRejectsThrows() throws {
        #expect(try Event<Custom>(date: .distantPast).databaseDictionary["date"] == .null)
        #expect(throws: RowDecodingError.self) { try Event<Custom>(row: ["date": nil]) }
        #expect(throws: RowDecodingError.self) { try Event<ISO>(row: ["date": "yesterday"]) }
    }

    @Test func strategiesDependOnTheColumn() throws {
        struct Pair: Codable, FetchableRecord, EncodableRecord {
            static func databaseDateEncodingStrategy(
                for column: String
            ) -> DatabaseDateEncodingStrategy {
                column == "a" ? .secondsSince1970 : .deferredToDate
            }
            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy {
                column == "a" ? .millisecondsSince1970 : .deferredToDate
            }
            var a: Date
            var b: Date
        }
        let zero = Date(timeIntervalSince1970: 0)
        #expect(
            try Pair(a: zero, b: zero).databaseDictionary
                == ["a": 0.databaseValue, "b": "1970-01-01 00:00:00.000".databaseValue]
        )
        let pair = try Pair(row: ["a": 5000, "b": 5])
        #expect(pair.a.timeIntervalSince1970 == 5 && pair.b.timeIntervalSince1970 == 5)
    }

    @Test func strategiesApplyToNestedValues() throws {
        struct Wrapped: Codable {
            var date: Date
            init(date: Date) { self.date = date }
            init(from decoder: any Decoder) throws {
                date = try decoder.singleValueContainer().decode(Date.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(date)
            }
        }
        struct Holder: Codable, FetchableRecord, EncodableRecord {
            static func databaseDateEncodingStrategy(
                for column: String
            ) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
            var wrapped: Wrapped
        }
        let holder = Holder(wrapped: Wrapped(date: Date(timeIntervalSince1970: 9)))
        #expect(try holder.databaseDictionary == ["wrapped": 9.databaseValue])
        #expect(try Holder(row: ["wrapped": 9]).wrapped.date == holder.wrapped.date)
    }

    @Test func dataAndUUIDsAreDecodedFromAllFormats() throws {
        struct Texts: Codable, FetchableRecord, EncodableRecord {
            static func databaseDataEncodingStrategy(
                for column: String
            ) -> DatabaseDataEncodingStrategy { .text }
            static func databaseUUIDEncodingStrategy(
                for column: String
            ) -> DatabaseUUIDEncodingStrategy {
                column == "upper" ? .uppercaseString : .lowercaseString
            }
            static func databaseDataDecodingStrategy(
                for column: String
            ) -> DatabaseDataDecodingStrategy { .custom { _ in Data([1]) } }
            var data: Data
            var upper: UUID
            var lower: UUID
        }
        let id = UUID()
        let texts = Texts(data: Data("é".utf8), upper: id, lower: id)
        let values = try texts.databaseDictionary
        #expect(values["data"] == "é".databaseValue)
        #expect(values["upper"] == id.uuidString.databaseValue)
        #expect(values["lower"] == id.uuidString.lowercased().databaseValue)
        let row = Row(values)
        #expect(try Texts(row: row).data == Data([1]) && Texts(row: row).lower == id)
        #expect(throws: EncodingError.self) {
            try Texts(data: Data([0xFF]), upper: id, lower: id).databaseDictionary
        }
    }

    @Test func columnsAreConvertedToSnakeCase() throws {
        struct Snake: Codable, Equatable, FetchableRecord, EncodableRecord {
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
                .convertToSnakeCase
            }
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .convertFromSnakeCase
            }
            var teamId: Int
            var homeUrl: String?
            var list: [Int]
        }
        let record = Snake(teamId: 1, homeUrl: nil, list: [2])
        #expect(
            try record.databaseDictionary
                == ["team_id": 1.databaseValue, "home_url": .null, "list": "[2]".databaseValue]
        )
        #expect(try Snake(row: ["TEAM_ID": 1, "list": "[2]"]) == record)
        let error = #expect(throws: RowDecodingError.self) { try Snake(row: ["list": "[2]"]) }
        #expect(error?.description.contains("converted to team_id") == true)
        for (key, column) in [
            ("myURLProperty", "my_url_property"), ("recordID", "record_id"), ("a", "a"),
            ("_leadingOne", "_leading_one"), ("x2", "x2"), ("aB", "a_b"), ("ID", "id"),
        ] {
            #expect(SnakeCase.column(of: key) == column)
        }
        for (column, key) in [
            ("my_url_property", "myUrlProperty"), ("alreadyCamel", "alreadyCamel"),
            ("__a_b__", "__aB__"), ("___", "___"), ("A_B", "aB"), ("a__b", "aB"), ("", ""),
        ] {
            #expect(SnakeCase.key(of: column) == key)
        }
    }

    @Test func aClosureConvertsColumnNames() throws {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Marked: Codable, FetchableRecord, EncodableRecord {
            static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy {
                .custom { "_" + $0.stringValue }
            }
            static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
                .custom { Key(stringValue: String($0.dropFirst())) }
            }
            var id: Int
            var note: String?
        }
        let marked = Marked(id: 1, note: "a")
        #expect(
            try marked.databaseDictionary == ["_id": 1.databaseValue, "_note": "a".databaseValue]
        )
        #expect(try Marked(row: ["_id": 2, "note": "not this"]).note == nil)
        #expect(throws: RowDecodingError.self) { try Marked(row: ["id": 2]) }
    }
}
