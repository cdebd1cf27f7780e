import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// Compares records of random shapes with the JSON coders.
///
/// A shape is a random sequence of the calls that a type may make on its decoder or encoder. The
/// same type decodes a row and a JSON object with the same values.
struct CodableShapesTests {
    /// The names of the columns, which are also the names of the keys of all types of keys.
    private static let names = ["f0", "f1", "f2", "f3", "f4", "f5", "n0", "n1"]

    // Types of keys whose cases have the same names in another order, and therefore other bytes.
    private enum Forward: String, CodingKey { case f0, f1, f2, f3, f4, f5, n0, n1 }
    private enum Backward: String, CodingKey { case n1, n0, f5, f4, f3, f2, f1, f0 }
    private enum Mixed: String, CodingKey { case f3, n1, f0, f5, n0, f2, f4, f1 }
    private enum Renamed: CodingKey {
        case a, b, c, d, e, f, g, h

        var stringValue: String {
            switch self {
            case .a: "f5"
            case .b: "f0"
            case .c: "n1"
            case .d: "f1"
            case .e: "f2"
            case .f: "f3"
            case .g: "f4"
            case .h: "n0"
            }
        }

        init?(stringValue: String) {
            let all: [Self] = [.a, .b, .c, .d, .e, .f, .g, .h]
            guard let key = all.first(where: { $0.stringValue == stringValue }) else { return nil }
            self = key
        }
    }
    private struct Text: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    private indirect enum Step {
        /// Reads or writes some fields in a container with one of the types of keys.
        case fields([String], keys: Int)
        /// Uses the same decoder for another type.
        case sameDecoder([Step])
        /// Uses a single-value container.
        case single([Step])
        case superclass([Step])
        /// Uses the nested container of a field that contains an object.
        case nested(String, keys: Int, fields: [String], nestedKeys: Int)
        /// Uses the nested container of a field that contains a list.
        case list(String, keys: Int)
    }

    private struct ShapeGenerator {
        var random: SeededRandom

        mutating func steps(depth: Int = 0) -> [Step] {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in step(depth: depth) }
        }

        private mutating func step(depth: Int) -> Step {
            let keys = Int.random(in: 0..<5, using: &random)
            switch Int.random(in: 0..<(depth < 3 ? 8 : 4), using: &random) {
            case 0, 1:
                let fields = CodableShapesTests.names.prefix(6).shuffled(using: &random)
                return .fields(
                    Array(fields.prefix(Int.random(in: 1...6, using: &random))),
                    keys: keys
                )
            case 2:
                return .nested(
                    "n0",
                    keys: keys,
                    fields: ["f1", "f0"].shuffled(using: &random),
                    nestedKeys: Int.random(in: 0..<5, using: &random)
                )
            case 3: return .list("n1", keys: keys)
            case 4, 5: return .sameDecoder(steps(depth: depth + 1))
            case 6: return .single(steps(depth: depth + 1))
            default: return .superclass(steps(depth: depth + 1))
            }
        }
    }

    /// The fields of one row: integers and text, optional or not.
    private struct Fields: Equatable {
        var numbers: [Int?] = [nil, nil, nil]
        var texts: [String?] = [nil, nil, nil]
        var nested: [Int] = [0, 0]
        var list: [Int] = []

        init(using random: inout SeededRandom) {
            numbers = (0..<3).map { _ in
                Bool.random(using: &random) ? Int.random(in: -99...99, using: &random) : nil
            }
            texts = (0..<3).map { _ in
                Bool.random(using: &random) ? "t\(Int.random(in: 0...99, using: &random))" : nil
            }
            nested = (0..<2).map { _ in Int.random(in: 0...99, using: &random) }
            list = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Int.random(in: 0...99, using: &random)
            }
        }

        private func json(_ value: Any?) -> String {
            switch value {
            case let text as String: "\"\(text)\""
            case let value?: "\(value)"
            case nil: "null"
            }
        }

        /// The JSON object, whose superclass has the same values.
        func object(depth: Int = 4) -> String {
            var members = (0..<3).flatMap { index in
                [
                    "\"f\(index)\": \(json(numbers[index]))",
                    "\"f\(index + 3)\": \(json(texts[index]))",
                ]
            }
            members.append("\"n0\": {\"f0\": \(nested[0]), \"f1\": \(nested[1])}")
            members.append("\"n1\": \(list)")
            if depth > 0 { members.append("\"super\": \(object(depth: depth - 1))") }
            return "{" + members.joined(separator: ", ") + "}"
        }

        var arguments: StatementArguments {
            StatementArguments(
                numbers.map { $0 as (any DatabaseValueConvertible)? }
                    + texts.map { $0 as (any DatabaseValueConvertible)? }
                    + ["{\"f0\": \(nested[0]), \"f1\": \(nested[1])}", "\(list)"]
            )
        }
    }

    /// What the running test decodes or encodes.
    private struct Plan: Sendable {
        let steps: [Step]
        var fields: Fields?
    }

    @TaskLocal private static var plan: Plan?

    /// A record that makes the calls of the current plan, and stores what it reads.
    private struct Shape: Codable, FetchableRecord, EncodableRecord {
        var log: [String] = []

        init() {}

        init(from decoder: any Decoder) throws {
            log = try Part.decoding(CodableShapesTests.plan?.steps ?? []) {
                try Part(from: decoder)
            }
        }

        func encode(to encoder: any Encoder) throws {
            guard let plan = CodableShapesTests.plan, let fields = plan.fields else { return }
            try Part.encode(plan.steps, fields: fields, to: encoder)
        }
    }

    /// A part of a record, which uses the decoder that its caller passes.
    private struct Part: Decodable {
        @TaskLocal static var steps: [UncheckedBox<[Step]>] = []
        let log: [String]

        static func decoding(_ steps: [Step], _ body: () throws -> Part) rethrows -> [String] {
            try $steps.withValue([UncheckedBox(steps)]) { try body().log }
        }

        init(from decoder: any Decoder) throws {
            var log: [String] = []
            for step in Self.steps.first?.value ?? [] {
                log += try Self.decode(step, from: decoder)
            }
            self.log = log
        }

        private static func decode(_ step: Step, from decoder: any Decoder) throws -> [String] {
            switch step {
            case .fields(let names, let keys):
                switch keys {
                case 0: return try read(names, decoder.container(keyedBy: Forward.self))
                case 1: return try read(names, decoder.container(keyedBy: Backward.self))
                case 2: return try read(names, decoder.container(keyedBy: Mixed.self))
                case 3: return try read(names, decoder.container(keyedBy: Renamed.self))
                default: return try read(names, decoder.container(keyedBy: Text.self))
                }
            case .sameDecoder(let steps):
                return try decoding(steps) { try Part(from: decoder) }
            case .single(let steps):
                return try decoding(steps) {
                    try decoder.singleValueContainer().decode(Part.self)
                }
            case .superclass(let steps):
                let container = try decoder.container(keyedBy: Text.self)
                return try decoding(steps) { try Part(from: container.superDecoder()) }
            case .nested(let name, let keys, let fields, let nestedKeys):
                switch keys {
                case 0:
                    return try nested(
                        decoder,
                        type: Forward.self,
                        name: name,
                        fields: fields,
                        keys: nestedKeys
                    )
                case 1:
                    return try nested(
                        decoder,
                        type: Backward.self,
                        name: name,
                        fields: fields,
                        keys: nestedKeys
                    )
                case 2:
                    return try nested(
                        decoder,
                        type: Mixed.self,
                        name: name,
                        fields: fields,
                        keys: nestedKeys
                    )
                case 3:
                    return try nested(
                        decoder,
                        type: Renamed.self,
                        name: name,
                        fields: fields,
                        keys: nestedKeys
                    )
                default:
                    return try nested(
                        decoder,
                        type: Text.self,
                        name: name,
                        fields: fields,
                        keys: nestedKeys
                    )
                }
            case .list(let name, _):
                var list = try decoder.container(keyedBy: Mixed.self)
                    .nestedUnkeyedContainer(forKey: Mixed(rawValue: name) ?? .n1)
                var values: [String] = []
                while !list.isAtEnd { values.append("\(try list.decode(Int.self))") }
                return values
            }
        }

        private static func nested<Key: CodingKey>(
            _ decoder: any Decoder,
            type: Key.Type,
            name: String,
            fields: [String],
            keys: Int
        ) throws -> [String] {
            guard let key = Key(stringValue: name) else { return [] }
            let container = try decoder.container(keyedBy: type)
            switch keys {
            case 0:
                return try read(fields, container.nestedContainer(keyedBy: Mixed.self, forKey: key))
            case 1:
                return try read(
                    fields,
                    container.nestedContainer(keyedBy: Renamed.self, forKey: key)
                )
            default:
                return try read(
                    fields,
                    container.nestedContainer(keyedBy: Backward.self, forKey: key)
                )
            }
        }

        private static func read<Key: CodingKey>(
            _ names: [String],
            _ container: KeyedDecodingContainer<Key>
        ) throws -> [String] {
            try names.map { name in
                guard let key = Key(stringValue: name) else { return "no key" }
                if ["f0", "f1", "f2"].contains(name) {
                    let isNil = try container.decodeNil(forKey: key)
                    let value = isNil ? nil : try container.decode(Int.self, forKey: key)
                    return "\(name) \(value.map(String.init) ?? "nil")"
                }
                return "\(name) \(try container.decodeIfPresent(String.self, forKey: key) ?? "nil")"
            }
        }

        // MARK: Encoding

        private struct Wrapped: Encodable {
            let steps: [Step]
            let fields: Fields

            func encode(to encoder: any Encoder) throws {
                try Part.encode(steps, fields: fields, to: encoder)
            }
        }

        static func encode(_ steps: [Step], fields: Fields, to encoder: any Encoder) throws {
            for step in steps {
                switch step {
                case .fields(let names, let keys):
                    switch keys {
                    case 0: try write(names, fields, encoder.container(keyedBy: Forward.self))
                    case 1: try write(names, fields, encoder.container(keyedBy: Backward.self))
                    case 2: try write(names, fields, encoder.container(keyedBy: Mixed.self))
                    case 3: try write(names, fields, encoder.container(keyedBy: Renamed.self))
                    default: try write(names, fields, encoder.container(keyedBy: Text.self))
                    }
                case .sameDecoder(let steps), .superclass(let steps):
                    try encode(steps, fields: fields, to: encoder)
                case .single(let steps):
                    // A type that encodes another type on the same encoder.
                    try Wrapped(steps: steps, fields: fields).encode(to: encoder)
                case .nested(_, _, let names, _):
                    var container = encoder.container(keyedBy: Mixed.self)
                    var nested = container.nestedContainer(keyedBy: Backward.self, forKey: .n0)
                    for name in names {
                        try nested.encode(
                            fields.nested[name == "f0" ? 0 : 1],
                            forKey: name == "f0" ? .f0 : .f1
                        )
                    }
                case .list:
                    var container = encoder.container(keyedBy: Renamed.self)
                    var list = container.nestedUnkeyedContainer(forKey: .c)
                    // The JSON encoder keeps the values of an earlier container for the same key.
                    guard list.count == 0 else { continue }
                    for value in fields.list { try list.encode(value) }
                }
            }
        }

        private static func write<Key: CodingKey>(
            _ names: [String],
            _ fields: Fields,
            _ container: KeyedEncodingContainer<Key>
        ) throws {
            var container = container
            for name in names {
                guard let key = Key(stringValue: name), let digit = name.last?.wholeNumberValue
                else { continue }
                if digit < 3 {
                    if let number = fields.numbers[digit] {
                        try container.encode(number, forKey: key)
                    } else {
                        try container.encodeNil(forKey: key)
                    }
                } else if let text = fields.texts[digit - 3] {
                    try container.encode(text, forKey: key)
                } else {
                    try container.encodeNil(forKey: key)
                }
            }
        }
    }

    private static let row = """
        SELECT ? AS f0, ? AS f1, ? AS f2, ? AS f3, ? AS f4, ? AS f5, ? AS n0, ? AS n1
        """

    @Test(arguments: 0..<20)
    func aRowIsDecodedAsJSONIs(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var generator = ShapeGenerator(random: SeededRandom(seed: seed &+ 1000))
        try DatabaseQueue().read { db in
            for _ in 0..<20 {
                let steps = generator.steps()
                // Several rows share the caches of a cursor.
                let rows = (0..<3).map { _ in Fields(using: &random) }
                let expected = try rows.map { fields in
                    try Self.$plan.withValue(Plan(steps: steps)) {
                        try JSONDecoder().decode(Shape.self, from: Data(fields.object().utf8)).log
                    }
                }
                let sql = rows.map { _ in Self.row }.joined(separator: " UNION ALL ")
                let arguments = rows.map(\.arguments).reduce(StatementArguments(), +)
                let decoded = try Self.$plan.withValue(Plan(steps: steps)) {
                    try Shape.fetchAll(db, sql: sql, arguments: arguments)
                }
                #expect(decoded.map(\.log) == expected, "seed \(seed): \(steps)")
                let copies = try Row.fetchAll(db, sql: sql, arguments: arguments)
                let fromCopies = try Self.$plan.withValue(Plan(steps: steps)) {
                    try copies.map { try Shape(row: $0).log }
                }
                #expect(fromCopies == expected, "seed \(seed): \(steps)")
            }
        }
    }

    @Test(arguments: 0..<20)
    func aRecordIsEncodedAsJSONIs(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var generator = ShapeGenerator(random: SeededRandom(seed: seed &+ 2000))
        for _ in 0..<20 {
            let plan = Plan(steps: generator.steps(), fields: Fields(using: &random))
            try Self.$plan.withValue(plan) {
                let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(Shape()))
                let expected = try #require(json as? [String: Any])
                let columns = try Shape().databaseDictionary
                #expect(Set(columns.keys) == Set(expected.keys), "seed \(seed): \(plan.steps)")
                for (name, value) in expected {
                    let column = columns[name].map(Self.text) ?? "missing"
                    #expect(column == Self.text(value), "seed \(seed), \(name): \(plan.steps)")
                }
            }
        }
    }

    /// The same text for a database value and the JSON value that it corresponds to.
    private static func text(_ value: Any) -> String {
        switch value {
        case is NSNull: return "null"
        case let number as NSNumber: return "\(number)"
        case let text as String: return text
        case let object where JSONSerialization.isValidJSONObject(object):
            let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return data.map { String(decoding: $0, as: UTF8.self) } ?? "invalid"
        default: return "invalid"
        }
    }

    private static func text(_ value: DatabaseValue) -> String {
        if value.isNull { return "null" }
        return String.fromDatabaseValue(value) ?? Int.fromDatabaseValue(value).map { "\($0)" }
            ?? "?"
    }
}
