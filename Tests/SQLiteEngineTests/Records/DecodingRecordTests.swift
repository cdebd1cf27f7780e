import Foundation
import SQLiteEngine
import Testing

struct DecodingRecordTests {
    private func read<T>(_ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().read(body)
    }

    private enum Team: String, Codable, DatabaseValueConvertible {
        case red
        case blue
    }

    private enum Plain: Int, Codable {
        case one = 1
    }

    private struct Address: Codable, Equatable {
        var street: String
    }

    private struct Everything: Decodable, FetchableRecord {
        var bool: Bool
        var int: Int
        var int8: Int8
        var uint: UInt
        var double: Double
        var float: Float
        var string: String
        var date: Date
        var data: Data
        var uuid: UUID
        var team: Team
        var plain: Plain
        var address: Address
        var list: [Int]
        var missing: Int?
        var absent: Date?
        var noAddress: Address?
        var someInt: Int?
        var someTeam: Team?
    }

    private static let everything = """
        SELECT 1 AS bool, -7 AS int, 127 AS int8, 8 AS uint, 1.5 AS double, 2.5 AS float,
            'text' AS string, '1970-01-02 00:00:00.000' AS date, x'0102' AS data,
            'E621E1F8-C36C-495A-93FC-0C247A3E6E5F' AS uuid, 'blue' AS team, 1 AS plain,
            '{"street":"Main"}' AS address, '[1,2]' AS list, NULL AS absent, NULL AS noAddress,
            5 AS someInt, 'red' AS SOMETEAM
        """

    private func check(_ record: Everything) {
        #expect(record.bool)
        #expect(record.int == -7)
        #expect(record.int8 == 127)
        #expect(record.uint == 8)
        #expect(record.double == 1.5)
        #expect(record.float == 2.5)
        #expect(record.string == "text")
        #expect(record.date == Date(timeIntervalSince1970: 86400))
        #expect(record.data == Data([1, 2]))
        #expect(record.uuid == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(record.team == .blue)
        #expect(record.plain == .one)
        #expect(record.address == Address(street: "Main"))
        #expect(record.list == [1, 2])
        #expect(record.missing == nil)
        #expect(record.absent == nil)
        #expect(record.noAddress == nil)
        #expect(record.someInt == 5)
        #expect(record.someTeam == .red)
    }

    @Test func columnsOfEveryTypeDecode() throws {
        try read { db in check(try #require(try Everything.fetchOne(db, sql: Self.everything))) }
    }

    @Test func copiedRowsDecode() throws {
        try read { db in
            let row = try #require(try Row.fetchOne(db, sql: Self.everything))
            check(try Everything(row: row))
        }
    }

    @Test func eachRowOfACursorHasItsValues() throws {
        struct Number: Decodable, FetchableRecord {
            var value: Int
            var text: String?
        }
        try read { db in
            let numbers = try Number.fetchAll(
                db,
                sql: """
                    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100)
                    SELECT iif(x % 3, 'n' || x, NULL) AS text, x AS value FROM c
                    """
            )
            #expect(numbers.map(\.value) == Array(1...100))
            #expect(numbers.map(\.text) == (1...100).map { $0 % 3 == 0 ? nil : "n\($0)" })
        }
    }

    @Test func oneRowDecodesAsSeveralTypes() throws {
        struct First: Decodable, FetchableRecord { var a: Int }
        struct Second: Decodable, FetchableRecord { var b: String }
        try read { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS a, 'x' AS b UNION SELECT 2, 'y'")
            var seen: [String] = []
            while let row = try rows.next() {
                seen.append("\(try First(row: row).a)\(try Second(row: row).b)")
            }
            #expect(seen == ["1x", "2y"])
        }
    }

    @Test func oneColumnDecodesAsSeveralTypes() throws {
        struct Twice: Decodable, FetchableRecord {
            enum CodingKeys: CodingKey { case team }
            let team: Team
            let address: Address?
            let name: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                team = try container.decode(Team.self, forKey: .team)
                address = try? container.decode(Address.self, forKey: .team)
                name = try container.decode(String.self, forKey: .team)
            }
        }
        try read { db in
            let all = try Twice.fetchAll(db, sql: "SELECT 'red' AS team UNION ALL SELECT 'blue'")
            #expect(all.map(\.team) == [.red, .blue])
            #expect(all.map(\.name) == ["red", "blue"])
            #expect(all.allSatisfy { $0.address == nil })
        }
    }

    @Test func keysThatAreNotEnumerationsDecode() throws {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Free: Decodable, FetchableRecord {
            var values: [String: Int] = [:]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys {
                    values[key.stringValue] = try container.decode(Int.self, forKey: key)
                }
            }
        }
        try read { db in
            let all = try Free.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b UNION SELECT 3, 4")
            #expect(all.map(\.values) == [["a": 1, "b": 2], ["a": 3, "b": 4]])
        }
    }

    @Test func aValueOfTheWrongTypeIsReportedWithItsColumn() throws {
        struct Strict: Decodable, FetchableRecord {
            var id: Int8
            var name: String
        }
        try read { db in
            let sql = "SELECT 300 AS id, 'x' AS name"
            let error = #expect(throws: RowDecodingError.self) { try Strict.fetchAll(db, sql: sql) }
            #expect(
                error?.description == """
                    could not decode Int8 from database value 300 - column: "id", \
                    column index: 0, row: [id:300 name:"x"], sql: `\(sql)`, arguments: []
                    """
            )
            let null = #expect(throws: RowDecodingError.self) {
                try Strict.fetchAll(db, sql: "SELECT 1 AS id, NULL AS name")
            }
            #expect(
                null?.description.contains("could not decode String from database value NULL")
                    == true
            )
        }
    }

    @Test func aMissingColumnIsReported() throws {
        struct Strict: Decodable, FetchableRecord { var name: String }
        try read { db in
            let error = #expect(throws: RowDecodingError.self) {
                try Strict.fetchOne(db, sql: "SELECT 1 AS id")
            }
            #expect(error?.description.hasPrefix("column not found: \"name\"") == true)
        }
    }

    @Test func invalidJSONThrows() throws {
        struct Home: Decodable, FetchableRecord { var address: Address }
        try read { db in
            #expect(throws: DecodingError.self) {
                try Home.fetchOne(db, sql: "SELECT '{' AS address")
            }
            #expect(throws: RowDecodingError.self) {
                try Home.fetchOne(db, sql: "SELECT NULL AS address")
            }
        }
    }

    @Test func scopesAndTheirBaseRowDecodeAsRecords() throws {
        struct Author: Decodable, FetchableRecord { var name: String }
        struct Book: Decodable, FetchableRecord { var title: String }
        struct Info: Decodable, FetchableRecord {
            var book: Book
            var author: Author?
        }
        let adapter = ScopeAdapter(["author": SuffixRowAdapter(fromIndex: 1)])
        try read { db in
            let infos = try Info.fetchAll(
                db,
                sql: "SELECT 'Moby' AS title, 'Melville' AS name UNION ALL SELECT 'Edda', NULL",
                adapter: adapter
            )
            #expect(infos.map(\.book.title) == ["Moby", "Edda"])
            #expect(infos.map { $0.author?.name } == ["Melville", nil])
            let row = try #require(
                try Row.fetchOne(db, sql: "SELECT 'Moby' AS title, 'M' AS name", adapter: adapter)
            )
            let author: Author = row["author"]
            #expect(author.name == "M")
            let missing: Author? = row["missing"]
            #expect(missing == nil)
        }
    }

    @Test func aRecordMayImplementItsDecoding() throws {
        struct Handmade: FetchableRecord {
            let name: String
            init(row: Row) { name = row[Player.Columns.name] }
        }
        try read { db in
            try #expect(Handmade.fetchAll(db, sql: "SELECT 'a' AS name").map(\.name) == ["a"])
        }
    }

    @Test func userInfoIsPassedToTheRecordAndItsJSON() throws {
        struct Part: Decodable {
            let tag: String
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Tagged.CodingKeys.self)
                tag = try #require(Tagged.tag.flatMap { decoder.userInfo[$0] } as? String)
            }
        }
        struct Tagged: Decodable, FetchableRecord {
            static let tag = CodingUserInfoKey(rawValue: "tag")
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] {
                tag.map { [$0: "yes"] } ?? [:]
            }
            enum CodingKeys: CodingKey { case part }
            let part: Part
            let userInfoTag: String?
            init(from decoder: any Decoder) throws {
                userInfoTag = Self.tag.flatMap { decoder.userInfo[$0] } as? String
                part = try decoder.container(keyedBy: CodingKeys.self).decode(
                    Part.self,
                    forKey: .part
                )
            }
        }
        try read { db in
            let record = try #require(try Tagged.fetchOne(db, sql: "SELECT '{}' AS part"))
            #expect(record.userInfoTag == "yes")
            #expect(record.part.tag == "yes")
        }
    }
}
