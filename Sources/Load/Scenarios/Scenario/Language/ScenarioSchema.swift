import Text

/// The JSON Schema of the scenario language, for editors.
///
/// The schema and the decoder use the same declarations. The schema describes the structure of a
/// file, but only the decoder checks references to names
/// (<https://json-schema.org/draft/2020-12/json-schema-core>).
package enum ScenarioSchema {
    /// The JSON text, ending with a line feed.
    package static let json: String = schema.text() + "\n"

    static var schema: JSONNode {
        var definitions: [(name: String, node: JSONNode)] = []
        let root = members(of: Language.scenario, &definitions)
        return .object(
            [
                .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
                .init("title", .string("Poolgauge scenario, version 1")),
            ] + root + [
                .init("$defs", .object(definitions.map { .init($0.name, $0.node) }))
            ]
        )
    }

    /// A pattern for names, which consist of letters of any script, digits, `-`, and `_`.
    ///
    /// The pattern excludes white space and all other ASCII characters. It does not use `\p`,
    /// which some editors do not support.
    private static let namePattern = #"^[^\s!-,./:-@\[-^`{-~]+$"#

    private static func members(
        of shape: MappingShape,
        _ definitions: inout [(name: String, node: JSONNode)]
    ) -> [JSONNode.Member] {
        var properties: [JSONNode.Member] = []
        for key in shape.keys {
            var members = value(key.value, definitions: &definitions)
            let range = key.value.durations?.summary.map { " It must be a time \($0)." } ?? ""
            members.append(.init("description", .string(key.description + range)))
            properties.append(.init(key.name, .object(members)))
        }
        var members: [JSONNode.Member] = [
            .init("description", .string(shape.description)),
            .init("type", .string("object")),
            .init("properties", .object(properties)),
            .init("additionalProperties", .boolean(false)),
        ]
        let required = shape.keys.filter(\.isRequired).map { JSONNode.string($0.name) }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        if !shape.alternatives.isEmpty {
            let alternatives = shape.alternatives.map { keys in
                JSONNode.object([.init("required", .array(keys.map(JSONNode.string)))])
            }
            members.append(.init("anyOf", .array(alternatives)))
        }
        return members
    }

    private static func value(
        _ shape: ValueShape,
        definitions: inout [(name: String, node: JSONNode)]
    ) -> [JSONNode.Member] {
        switch shape {
        case .text:
            return [.init("type", .string("string")), .init("minLength", .integer(1))]
        case .texts, .sql:
            let single: [JSONNode.Member] = [
                .init("type", .string("string")), .init("minLength", .integer(1)),
            ]
            let list: [JSONNode.Member] = [
                .init("type", .string("array")), .init("items", .object(single)),
                .init("minItems", .integer(1)),
            ]
            return [.init("anyOf", .array([.object(single), .object(list)]))]
        case .steps:
            let item = ValueShape.either([.text, .mapping(Language.step)])
            return value(.either([item, .list(item)]), definitions: &definitions)
        case .words(let words):
            return [.init("enum", .array(words.map(JSONNode.string)))]
        case .integer(let range):
            return [
                .init("type", .string("integer")), .init("minimum", .integer(range.lowerBound)),
                .init("maximum", .integer(range.upperBound)),
            ]
        case .number:
            return [
                .init("type", .string("number")), .init("exclusiveMinimum", .integer(0)),
            ]
        case .boolean:
            return [.init("type", .string("boolean"))]
        case .duration(let range):
            return text(range.prefix + "\(numberPattern)\(timeUnitPattern)$", ["50ms", "30s"])
        case .span(let range):
            return text(range.prefix + "\(numberPattern)(\(timeUnitPattern)|%)$", ["40%", "30s"])
        case .quantity(let quantity):
            return text(quantity.pattern, quantity.examples)
        case .scalar:
            let types = ["string", "number", "boolean", "null"]
            return [.init("type", .array(types.map(JSONNode.string)))]
        case .mapping(let shape):
            define(shape, definitions: &definitions)
            return [.init("$ref", .string("#/$defs/\(shape.name)"))]
        case .list(let item):
            return [
                .init("type", .string("array")),
                .init("items", .object(value(item, definitions: &definitions))),
                .init("minItems", .integer(1)),
            ]
        case .named(let item):
            return named(item, matching: namePattern, definitions: &definitions)
        case .byMetric(let item):
            return named(item, matching: #"^[^.]+\.[^.]+$"#, definitions: &definitions)
        case .either(let shapes):
            let nodes = shapes.map { JSONNode.object(value($0, definitions: &definitions)) }
            return [.init("anyOf", .array(nodes))]
        }
    }

    private static func text(_ pattern: String, _ examples: [String]) -> [JSONNode.Member] {
        [
            .init("type", .string("string")), .init("pattern", .string(pattern)),
            .init("examples", .array(examples.map(JSONNode.string))),
        ]
    }

    private static func named(
        _ item: ValueShape,
        matching pattern: String,
        definitions: inout [(name: String, node: JSONNode)]
    ) -> [JSONNode.Member] {
        [
            .init("type", .string("object")),
            .init("propertyNames", .object([.init("pattern", .string(pattern))])),
            .init("additionalProperties", .object(value(item, definitions: &definitions))),
            .init("minProperties", .integer(1)),
        ]
    }

    private static func define(
        _ shape: MappingShape,
        definitions: inout [(name: String, node: JSONNode)]
    ) {
        guard !definitions.contains(where: { $0.name == shape.name }) else { return }
        // Add a placeholder first, because parts of the mapping may refer to the mapping.
        let index = definitions.count
        definitions.append((shape.name, .object([])))
        let node = JSONNode.object(members(of: shape, &definitions))
        definitions[index].node = node
    }
}

private let numberPattern = #"[0-9]*\.?[0-9]+ ?"#
private let timeUnitPattern = "(ns|us|µs|ms|s|m|h)"

extension ClosedRange<Duration> {
    /// A pattern prefix that rejects 0 if the range excludes 0.
    fileprivate var prefix: String { lowerBound > .zero ? "^(?=.*[1-9])" : "^" }
}

extension QuantityShape {
    /// The pattern for valid text, as an ECMA-262 regular expression.
    fileprivate var pattern: String {
        switch self {
        case .rate: "^\(numberPattern)/[smh]$"
        case .bytes: "^\(numberPattern)(B|KiB|MiB|GiB|KB|MB|GB)$"
        case .share: "^\(numberPattern)%$"
        case .fixedPause: "^fixed +(?=.*[1-9])\(numberPattern)\(timeUnitPattern)$"
        }
    }

    fileprivate var examples: [String] {
        switch self {
        case .rate: ["200/s"]
        case .bytes: ["64MiB"]
        case .share: ["40%"]
        case .fixedPause: ["fixed 1ms"]
        }
    }
}

/// A JSON value that preserves the order of keys.
indirect enum JSONNode: Equatable {
    case object([Member])
    case array([JSONNode])
    case string(String)
    case integer(Int64)
    case boolean(Bool)

    struct Member: Equatable {
        var key: String
        var value: JSONNode

        init(_ key: String, _ value: JSONNode) {
            self.key = key
            self.value = value
        }
    }

    func text(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members):
            if members.isEmpty { return "{}" }
            let lines = members.map {
                "\(inner)\(Escaping.jsonString($0.key)): \($0.value.text(indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let items):
            let isFlat = items.allSatisfy { if case .object = $0 { false } else { true } }
            let texts = items.map { $0.text(indent: inner) }
            if isFlat { return "[\(texts.joined(separator: ", "))]" }
            return "[\n\(texts.map { inner + $0 }.joined(separator: ",\n"))\n\(indent)]"
        case .string(let text): return Escaping.jsonString(text)
        case .integer(let value): return String(value)
        case .boolean(let value): return String(value)
        }
    }
}
