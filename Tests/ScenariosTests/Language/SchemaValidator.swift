import Foundation
import Yams

/// A validator that checks YAML against a JSON Schema.
///
/// The validator supports only the keywords that the schema for scenarios uses.
struct SchemaValidator {
    /// An error for a keyword that the validator does not support.
    struct UnknownKeyword: Error {
        var name: String
    }

    private static let annotations: Set = ["$schema", "$defs", "title", "description", "examples"]

    private let root: [String: Any]

    init(_ json: String) throws {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        root = object as? [String: Any] ?? [:]
    }

    /// Returns the problems in YAML text, or an empty array if the text is valid.
    func problems(yaml: String) throws -> [String] {
        guard let node = try Yams.compose(yaml: yaml) else { return ["the document is empty"] }
        return try problems(node, root, at: "")
    }

    private func problems(_ node: Node, _ schema: [String: Any], at path: String) throws -> [String]
    {
        var found: [String] = []
        for (keyword, argument) in schema where !Self.annotations.contains(keyword) {
            found += try problems(node, keyword, argument, in: schema, at: path)
        }
        return found
    }

    private func problems(
        _ node: Node,
        _ keyword: String,
        _ argument: Any,
        in schema: [String: Any],
        at path: String
    ) throws -> [String] {
        func failure(_ isValid: Bool) -> [String] { isValid ? [] : ["\(path): \(keyword)"] }
        let nested = argument as? [String: Any] ?? [:]
        let list = argument as? [Any] ?? []
        let number = (argument as? NSNumber)?.doubleValue ?? 0
        switch keyword {
        case "$ref":
            let name = (argument as? String)?.replacing("#/$defs/", with: "") ?? ""
            let definitions = root["$defs"] as? [String: Any] ?? [:]
            guard let target = definitions[name] as? [String: Any] else {
                return ["\(path): no definition \(name)"]
            }
            return try problems(node, target, at: path)
        case "type":
            let names = list.compactMap { $0 as? String } + [argument as? String].compactMap { $0 }
            return failure(names.contains { isOfType($0, node) })
        case "enum":
            return failure(list.contains { ($0 as? String) == node.scalar?.string })
        case "pattern":
            guard let text = node.scalar?.string, let pattern = argument as? String else {
                return []
            }
            return failure(text.range(of: pattern, options: .regularExpression) != nil)
        case "minLength":
            return failure(Double(node.scalar?.string.count ?? .max) >= number)
        case "minimum":
            return failure(node.scalar.flatMap { Double($0.string) }.map { $0 >= number } ?? true)
        case "maximum":
            return failure(node.scalar.flatMap { Double($0.string) }.map { $0 <= number } ?? true)
        case "exclusiveMinimum":
            return failure(node.scalar.flatMap { Double($0.string) }.map { $0 > number } ?? true)
        case "minItems":
            return failure(Double(node.sequence?.count ?? .max) >= number)
        case "minProperties":
            return failure(Double(node.mapping?.count ?? .max) >= number)
        case "items":
            return try (node.sequence.map(Array.init) ?? []).enumerated().flatMap {
                try problems($0.element, nested, at: "\(path)[\($0.offset)]")
            }
        case "anyOf":
            let options = try list.map {
                try problems(node, $0 as? [String: Any] ?? [:], at: path)
            }
            return options.contains { $0.isEmpty } ? [] : ["\(path): anyOf \(options)"]
        case "required":
            let keys = node.mapping?.keys.compactMap { $0.scalar?.string } ?? []
            return failure(list.allSatisfy { keys.contains($0 as? String ?? "") })
        case "properties":
            return try members(of: node).flatMap { name, value in
                try (nested[name] as? [String: Any]).map {
                    try problems(value, $0, at: "\(path).\(name)")
                } ?? []
            }
        case "propertyNames":
            return try members(of: node).flatMap { name, _ in
                try problems(Node(name), nested, at: "\(path).\(name)")
            }
        case "additionalProperties":
            let known = schema["properties"] as? [String: Any] ?? [:]
            return try members(of: node).filter { known[$0.0] == nil }.flatMap { name, value in
                (argument as? Bool) == false
                    ? ["\(path): unknown \(name)"]
                    : try problems(value, nested, at: "\(path).\(name)")
            }
        default:
            throw UnknownKeyword(name: keyword)
        }
    }

    private func members(of node: Node) -> [(String, Node)] {
        node.mapping?.compactMap { key, value in key.scalar.map { ($0.string, value) } } ?? []
    }

    /// Returns whether a node has a type, according to the core schema of YAML 1.2.
    private func isOfType(_ name: String, _ node: Node) -> Bool {
        guard let scalar = node.scalar else {
            return name == (node.mapping != nil ? "object" : "array")
        }
        let isPlain = scalar.style == .plain || scalar.style == .any
        let text = scalar.string
        let isInteger = isPlain && Int64(text) != nil
        let isNumber = isInteger || isPlain && Double(text) != nil
        let isBoolean = isPlain && ["true", "false"].contains(text)
        let isNull = isPlain && ["", "~", "null"].contains(text)
        switch name {
        case "integer": return isInteger
        case "number": return isNumber
        case "boolean": return isBoolean
        case "null": return isNull
        case "string": return !isNumber && !isBoolean && !isNull
        default: return false
        }
    }
}
