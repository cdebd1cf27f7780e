import Text

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
