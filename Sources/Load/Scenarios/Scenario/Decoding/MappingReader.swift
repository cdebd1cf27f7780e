import Text
import YAML
import Yams

/// A type that reads the keys of a mapping and logs errors.
///
/// A method that returns `nil` for an existing key has logged the reason.
struct MappingReader {
    /// The description of the mapping in messages, such as `client 'ui'`.
    let what: String
    /// The position of the mapping's name.
    let mark: Mark?
    let log: YAMLLog
    private let shape: MappingShape?
    private let entries: [(name: String, key: Node, value: Node)]

    /// Creates a reader, or logs an error and returns `nil` if the node is not a mapping.
    ///
    /// The reader logs an error for each key that `shape` does not declare. If `shape` is `nil`,
    /// all keys are valid.
    init?(
        _ node: Node,
        what: String,
        _ shape: MappingShape?,
        at mark: Mark? = nil,
        log: YAMLLog
    ) {
        let keys = shape?.names
        self.shape = shape
        self.what = what
        self.mark = mark ?? node.mark
        self.log = log
        guard let mapping = node.mapping else {
            log.add("\(what) must be a mapping, not \(Self.text(of: node))", at: node.mark)
            return nil
        }
        var entries: [(name: String, key: Node, value: Node)] = []
        for (key, value) in mapping {
            guard let name = key.scalar?.string else {
                log.add("a key of \(what) must be a name, not \(Self.text(of: key))", at: key.mark)
                continue
            }
            if let keys, !keys.contains(name) {
                log.add(
                    "unknown key '\(name)' in \(what)" + NearestName.hint(name, among: keys),
                    at: key.mark
                )
                continue
            }
            entries.append((name, key, value))
        }
        self.entries = entries
        rejectConflicts()
    }

    /// Logs an error for each key that the mapping's form rejects.
    ///
    /// A rejected key does not select a form, so each key has at most one error.
    private func rejectConflicts() {
        var rejected: Set<String> = []
        for form in shape?.forms ?? [] where !rejected.contains(form.key) && isSelected(form) {
            for (name, _, _) in entries where form.rejects(name) && rejected.insert(name).inserted {
                add("'\(name)' cannot be combined with \(form.description)", atKey: name)
            }
        }
    }

    private func isSelected(_ form: MappingShape.Form) -> Bool {
        guard let node = self[form.key] else { return false }
        return form.value == nil || form.value == node.scalar?.string
    }

    var all: [(name: String, key: Node, value: Node)] { entries }

    func has(_ name: String) -> Bool { entries.contains { $0.name == name } }

    subscript(_ name: String) -> Node? { entries.first { $0.name == name }?.value }

    /// Returns the position of a key, or the position of the mapping if the key is missing.
    func mark(of name: String) -> Mark? { entries.first { $0.name == name }?.key.mark ?? mark }

    /// Returns the name of a key for messages, such as `'arrival.rate' of client 'ui'`.
    func path(_ name: String) -> String {
        guard what.hasPrefix("'"), let end = what.dropFirst().firstIndex(of: "'") else {
            return "'\(name)' of \(what)"
        }
        return "\(what[..<end]).\(name)\(what[end...])"
    }

    /// Logs an error at a key, or at the mapping if the key is missing.
    func add(_ message: String, atKey name: String) { log.add(message, at: mark(of: name)) }

    /// Logs an error at the value of a key.
    func add(_ message: String, atValue name: String) { log.add(message, at: self[name]?.mark) }

    /// Returns the first key that is present, and logs an error for each other key that is present.
    func only(of keys: [String]) -> String? {
        let present = keys.filter(has)
        guard let first = present.first else { return nil }
        for key in present.dropFirst() {
            add("'\(key)' cannot be combined with '\(first)'", atKey: key)
        }
        return first
    }

    /// Returns the key that selects one of the mapping's alternatives, or logs an error.
    func alternative() -> String? {
        let names = shape?.alternatives.compactMap(\.first) ?? []
        if let name = names.first(where: has) { return name }
        let quoted = names.map { "'\($0)'" }
        let first = quoted.dropLast().joined(separator: ", ") + (quoted.count > 2 ? "," : "")
        log.add("\(what) requires \(first) or \(quoted.last ?? "")", at: mark)
        return nil
    }

    /// Returns a reader for the mapping at a key, or logs an error and returns `nil` if the value
    /// is not a mapping.
    func mapping(_ name: String) -> MappingReader? {
        guard let node = self[name] else { return nil }
        let what = "'\(name)' of \(what)"
        return MappingReader(node, what: what, shape?[name].mapping, at: mark(of: name), log: log)
    }

    /// Returns the value of a required key, or logs an error.
    func required(_ name: String, example: String) -> Node? {
        if let node = self[name] { return node }
        log.add("\(what) requires '\(name)', such as \(name): \(example)", at: mark)
        return nil
    }

    func text(_ name: String) -> String? { self[name].flatMap { text($0, named: name) } }

    func text(_ node: Node, named name: String) -> String? {
        guard let scalar = node.scalar else {
            log.add(
                "\(path(name)) must be text, not \(Self.text(of: node))",
                at: node.mark
            )
            return nil
        }
        let isEmpty = scalar.string.allSatisfy(\.isWhitespace)
        if isEmpty { log.add("\(path(name)) must not be empty", at: node.mark) }
        return isEmpty ? nil : scalar.string
    }

    /// Returns the elements of a list of strings, or a single string.
    func texts(_ node: Node, named name: String) -> [(text: String, mark: Mark?)] {
        guard let sequence = node.sequence else {
            return text(node, named: name).map { [($0, node.mark)] } ?? []
        }
        if sequence.isEmpty { log.add("\(path(name)) must not be an empty list", at: node.mark) }
        return sequence.compactMap { item in
            text(item, named: name).map { ($0, item.mark) }
        }
    }

    func texts(_ name: String) -> [(text: String, mark: Mark?)] {
        self[name].map { texts($0, named: name) } ?? []
    }

    /// Returns an integer in the declared range.
    func integer<I: FixedWidthInteger>(_ name: String) -> I? {
        guard let range = shape?[name].range else { return nil }
        return integer(name, in: I(clamping: range.lowerBound)...I(clamping: range.upperBound))
    }

    func integer<I: FixedWidthInteger>(_ name: String, in range: ClosedRange<I>) -> I? {
        guard let node = self[name], let text = text(node, named: name) else { return nil }
        guard let value = I(text), range.contains(value) else {
            let bounds =
                range.upperBound == I.max
                ? "of at least \(range.lowerBound)"
                : "from \(range.lowerBound) to \(range.upperBound)"
            log.add(
                "\(path(name)) must be an integer \(bounds), not '\(text)'",
                at: node.mark
            )
            return nil
        }
        return value
    }

    func positive(_ name: String, maximum: Double = .greatestFiniteMagnitude) -> Double? {
        guard let node = self[name], let text = text(node, named: name) else { return nil }
        guard let value = Double(text), value > 0, value <= maximum else {
            let limit = maximum < .greatestFiniteMagnitude ? " and at most \(Int(maximum))" : ""
            log.add(
                "\(path(name)) must be a number above 0\(limit), not '\(text)'",
                at: node.mark
            )
            return nil
        }
        return value
    }

    func bool(_ name: String) -> Bool? {
        guard let node = self[name], let text = text(node, named: name) else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default:
            log.add("\(path(name)) must be true or false, not '\(text)'", at: node.mark)
            return nil
        }
    }

    /// Returns the enumeration value for one of the declared words.
    func choice<Value: RawRepresentable<String>>(_ name: String) -> Value? {
        word(name).flatMap(Value.init(rawValue:))
    }

    /// Returns one of the declared words.
    func word(_ name: String) -> String? {
        let words = shape?[name].choices ?? []
        guard let node = self[name], let text = text(node, named: name) else { return nil }
        if words.contains(text) { return text }
        let expected = words.count == 1 ? words[0] : "one of " + words.joined(separator: ", ")
        log.add(
            "\(path(name)) must be \(expected), not '\(text)'"
                + (NearestName.of(text, among: words).map { "; did you mean '\($0)'?" } ?? ""),
            at: node.mark
        )
        return nil
    }

    func quantity<Value>(_ name: String, _ parse: (String) throws -> Value) -> Value? {
        guard let node = self[name], let text = text(node, named: name) else { return nil }
        do {
            return try parse(text)
        } catch {
            log.add("\(path(name)): \(error)", at: node.mark)
            return nil
        }
    }

    /// Returns a time in the declared range.
    func duration(_ name: String) -> Duration? {
        quantity(name, Quantity.duration).flatMap { validated($0, at: $0, name: name) }
    }

    /// Returns a time in the declared range, or a share of the measured time.
    func span(_ name: String) -> TimeSpan? {
        guard let span = quantity(name, Quantity.span) else { return nil }
        switch span {
        case .absolute(let time): return validated(span, at: time, name: name)
        // Only the lower bound limits a share, because the measured time is unknown.
        case .share(let share): return share > 0 ? span : validated(span, at: .zero, name: name)
        }
    }

    /// Returns a value if its time is in the declared range, or logs an error and returns `nil`.
    private func validated<Value>(_ value: Value, at time: Duration, name: String) -> Value? {
        let range = shape?[name].durations ?? .unlimited
        if range.contains(time) { return value }
        add("\(path(name)) must be a time \(range.summary ?? "")", atValue: name)
        return nil
    }

    /// Returns the entries of a mapping with user-defined names, such as the arms.
    func named(_ name: String, each: String) -> [(name: String, key: Node, value: Node)] {
        guard let node = self[name],
            let reader = MappingReader(node, what: "'\(name)'", nil, log: log)
        else { return [] }
        if reader.all.isEmpty { log.add("'\(name)' must not be empty", at: node.mark) }
        return reader.all.filter { entry in
            let isName = Self.isName(entry.name)
            if !isName {
                log.add(
                    "'\(entry.name)' is not a valid name for \(each); "
                        + "use letters, digits, '-', and '_'",
                    at: entry.key.mark
                )
            }
            return isName
        }
    }

    /// Returns whether text is a valid name.
    ///
    /// A name consists of letters, digits, `-`, and `_`.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || scalar == "-" || scalar == "_"
            }
    }

    static func text(of node: Node) -> String {
        switch node {
        case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "'\(scalar.string)'"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}
