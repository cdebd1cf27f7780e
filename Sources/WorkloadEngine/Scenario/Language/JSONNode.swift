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
                "\(inner)\(Self.quoted($0.key)): \($0.value.text(indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let items):
            let isFlat = items.allSatisfy { if case .object = $0 { false } else { true } }
            let texts = items.map { $0.text(indent: inner) }
            if isFlat { return "[\(texts.joined(separator: ", "))]" }
            return "[\n\(texts.map { inner + $0 }.joined(separator: ",\n"))\n\(indent)]"
        case .string(let text): return Self.quoted(text)
        case .integer(let value): return String(value)
        case .boolean(let value): return String(value)
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
