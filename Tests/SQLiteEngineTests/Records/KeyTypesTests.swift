import SQLiteEngine
import TestSupport
import Testing

/// Records that use several types of coding keys on one decoder.
///
/// The cases of different types can have the same bytes, so a cache must distinguish the types.
struct KeyTypesTests {
    private struct Address: Codable, Equatable {
        var street: String
        var city: String
    }

    private struct Person: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "person"

        enum CodingKeys: CodingKey { case id, name }

        var id: Int
        var name: String
        var address: Address

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name)
            address = try Address(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(name, forKey: .name)
            try address.encode(to: encoder)
        }
    }

    @Test func aFlattenedStructureIsReadAndWrittenBack() throws {
        try DatabaseQueue().write { (db: Database) throws -> Void in
            try db.execute(
                sql: """
                    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, street TEXT, city TEXT);
                    INSERT INTO person VALUES (1, 'Ann', 'Main', 'Rome'), (2, 'Bo', 'High', 'Oslo')
                    """
            )
            let people = try Person.fetchAll(db, sql: "SELECT * FROM person ORDER BY id")
            #expect(people.map(\.address.street) == ["Main", "High"])
            #expect(people.map(\.address.city) == ["Rome", "Oslo"])
            var person = try #require(people.first)
            person.name = "Anna"
            try person.update(db)
            let row = try Row.fetchOne(db, sql: "SELECT * FROM person WHERE id = 1")
            #expect(row == ["id": 1, "name": "Anna", "street": "Main", "city": "Rome"])
        }
    }

    private class Animal: Decodable {
        enum CodingKeys: CodingKey { case name, legs }

        let name: String
        let legs: Int

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            legs = try container.decode(Int.self, forKey: .legs)
        }
    }

    private final class Dog: Animal, FetchableRecord {
        enum CodingKeys: CodingKey { case breed, age }

        let breed: String
        let age: Int?

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            breed = try container.decode(String.self, forKey: .breed)
            age = try container.decodeIfPresent(Int.self, forKey: .age)
            try super.init(from: decoder)
        }
    }

    @Test func aSuperclassReadsItsOwnColumns() throws {
        try DatabaseQueue().read { db in
            let dog = try Dog.fetchOne(
                db,
                sql: "SELECT 'Rex' AS name, 4 AS legs, 'Collie' AS breed, 7 AS age"
            )
            #expect(dog?.name == "Rex")
            #expect(dog?.legs == 4)
            #expect(dog?.breed == "Collie")
            #expect(dog?.age == 7)
        }
    }

    /// A record whose type depends on a column.
    private enum Shape: Decodable, FetchableRecord, Equatable {
        case circle(radius: Double)
        case square(side: Double)

        private enum Kind: CodingKey { case kind }
        private enum CircleKeys: CodingKey { case radius }
        private enum SquareKeys: CodingKey { case side }

        init(from decoder: any Decoder) throws {
            let kind = try decoder.container(keyedBy: Kind.self)
            switch try kind.decode(String.self, forKey: .kind) {
            case "circle":
                let container = try decoder.container(keyedBy: CircleKeys.self)
                self = .circle(radius: try container.decode(Double.self, forKey: .radius))
            default:
                let container = try decoder.container(keyedBy: SquareKeys.self)
                self = .square(side: try container.decode(Double.self, forKey: .side))
            }
        }
    }

    @Test func theTypeOfARecordDependsOnAColumn() throws {
        try DatabaseQueue().read { db in
            let shapes = try Shape.fetchAll(
                db,
                sql: """
                    SELECT 'circle' AS kind, 1.5 AS radius, NULL AS side
                    UNION ALL SELECT 'square', NULL, 2.5 UNION ALL SELECT 'circle', 3.5, NULL
                    """
            )
            #expect(shapes == [.circle(radius: 1.5), .square(side: 2.5), .circle(radius: 3.5)])
        }
    }

    /// A record whose superclass decodes one key from the whole row, as the subclass does.
    private struct Pair: Decodable, FetchableRecord {
        struct First: Decodable { let a: Int }
        struct Second: Decodable { let b: Int }
        enum FirstKeys: CodingKey { case first }
        enum SecondKeys: CodingKey { case second }

        let first: First
        let second: Second

        init(from decoder: any Decoder) throws {
            let firsts = try decoder.container(keyedBy: FirstKeys.self)
            first = try firsts.decode(First.self, forKey: .first)
            let seconds = try decoder.container(keyedBy: SecondKeys.self)
            second = try seconds.decode(Second.self, forKey: .second)
        }
    }

    @Test func eachContainerDecodesOneKeyFromTheRow() throws {
        try DatabaseQueue().read { db in
            let pairs = try Pair.fetchAll(db, sql: "SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")
            #expect(pairs.map(\.first.a) == [1, 3])
            #expect(pairs.map(\.second.b) == [2, 4])
        }
    }

    /// A value that is stored as a number or as an object.
    private enum Flexible: Codable, Equatable {
        case number(Int)
        case object(name: String)

        private enum CodingKeys: CodingKey { case name }

        init(from decoder: any Decoder) throws {
            // Programs often ignore the error of the first form.
            if let container = try? decoder.container(keyedBy: CodingKeys.self) {
                self = .object(name: try container.decode(String.self, forKey: .name))
            } else {
                self = .number(try decoder.singleValueContainer().decode(Int.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .number(let number):
                var container = encoder.singleValueContainer()
                try container.encode(number)
            case .object(let name):
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
            }
        }
    }

    private struct Holder: Codable, FetchableRecord, EncodableRecord, Equatable {
        var value: Flexible
    }

    @Test(arguments: [Flexible.number(5), .object(name: "five")])
    private func aValueTriesSeveralForms(_ value: Flexible) throws {
        try DatabaseQueue().read { db in
            let stored = try Holder(value: value).databaseDictionary["value"]
            let holder = try Holder.fetchOne(db, sql: "SELECT ? AS value", arguments: [stored])
            #expect(holder?.value == value)
        }
    }

    private struct List: Encodable, EncodableRecord {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(1)
        }
    }

    @Test func aListIsNotARecord() {
        #expect(throws: EncodingError.self) { _ = try List().databaseDictionary }
    }

    private struct Derived: Decodable, FetchableRecord {
        struct Base: Decodable { let id: Int }
        enum CodingKeys: CodingKey { case id, base }

        let id: Int
        let base: Base

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            base = try Base(from: container.superDecoder(forKey: .base))
        }
    }

    /// The decoder of a superclass with a key reads the key's JSON or scope, or else the same row.
    @Test func aSuperclassWithAKeyReadsTheKeysValues() throws {
        try DatabaseQueue().read { db in
            let sql = "SELECT 1 AS id, '{\"id\": 2}' AS base"
            #expect(try Derived.fetchOne(db, sql: sql)?.base.id == 2)
            #expect(try Derived.fetchOne(db, sql: "SELECT 1 AS id")?.base.id == 1)
            let adapter = ScopeAdapter(["base": SuffixRowAdapter(fromIndex: 1)])
            let scoped = try Derived.fetchOne(db, sql: "SELECT 1 AS id, 3 AS id", adapter: adapter)
            #expect(scoped?.base.id == 3)
        }
    }
}
