import Yams

/// An error in a YAML file.
public struct YAMLIssue: Sendable, Equatable, CustomStringConvertible {
    /// The file's name as given, or a preset's name.
    public var file: String
    /// The line, starting at 1, or `nil` for the whole file.
    public var line: Int?
    /// The column in Unicode scalars, starting at 1, or `nil` for the whole file.
    public var column: Int?
    /// A message with the problem, the affected text, and the expected form or the nearest name.
    public var message: String

    /// Creates an issue.
    public init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// The issue as `file:line:column: message`, a format that editors recognize as a link.
    public var description: String {
        var place = file
        if let line {
            place += ":\(line)"
            if let column { place += ":\(column)" }
        }
        return place.isEmpty ? message : "\(place): \(message)"
    }
}

/// A log that collects all errors in a YAML file so that they can be reported together.
///
/// Scenarios, themes, and the configuration are read with this log.
package final class YAMLLog {
    /// The outcome of parsing a file.
    package enum Document {
        case root(Node)
        /// The file contains at most comments.
        case empty
        /// The file is not valid YAML; the log contains the reason.
        case invalid
    }

    package let file: String
    private var entries: [YAMLIssue] = []
    /// The positions of SQL statements, for messages about database errors.
    package var statementPositions = TextPositions()

    package init(file: String) { self.file = file }

    /// The issues, in file order.
    package var issues: [YAMLIssue] {
        entries.enumerated().sorted { a, b in
            let (x, y) = (a.element, b.element)
            return (x.line ?? 0, x.column ?? 0, a.offset) < (y.line ?? 0, y.column ?? 0, b.offset)
        }.map(\.element)
    }

    /// The number of issues.
    package var count: Int { entries.count }

    package func add(_ message: String, at mark: Mark?) {
        add(message, line: mark?.line, column: mark?.column)
    }

    package func add(_ message: String, line: Int?, column: Int?) {
        entries.append(YAMLIssue(file: file, line: line, column: column, message: message))
    }

    // MARK: Values

    /// Returns whether a value is a Boolean, or logs an error and returns `nil`.
    package func bool(_ node: Node) -> Bool? {
        if let value = node.bool { return value }
        add("expected true or false, not '\(Self.text(of: node))'", at: node.mark)
        return nil
    }

    /// Returns the text of a value, or logs an error and returns `nil`.
    package func string(_ node: Node) -> String? {
        if let text = node.scalar?.string { return text }
        add("the value must be text", at: node.mark)
        return nil
    }

    /// Logs an error if a format's version is not 1.
    package func checkVersion(_ node: Node) {
        // `Node.int` overflows for numbers with colons, which YAML 1.1 reads in base 60.
        guard node.float != 1 else { return }
        add("unknown version '\(Self.text(of: node))'; expected 1", at: node.mark)
    }

    /// Returns the entries of a mapping, or none if the value is missing.
    ///
    /// - Parameters:
    ///   - node: The value.
    ///   - expected: The end of the message if the value is not a mapping.
    /// - Returns: The keys and their values, in file order.
    package func entries(_ node: Node?, _ expected: String) -> [(key: Node, value: Node)] {
        guard let node, node.null == nil else { return [] }
        if let mapping = node.mapping { return Array(mapping) }
        add("'\(Self.text(of: node))' is not a mapping; \(expected)", at: node.mark)
        return []
    }

    /// Returns the text of a scalar, or a placeholder for a collection.
    package static func text(of node: Node) -> String {
        node.scalar?.string ?? (node.mapping == nil ? "[…]" : "{…}")
    }

    // MARK: Documents

    /// Parses the text of the file.
    package func document(_ yaml: String) -> Document {
        if let line = YAMLAliases.costlyKeyLine(in: yaml) {
            add(YAMLAliases.message, line: line, column: 1)
            return .invalid
        }
        do {
            return try Yams.compose(yaml: yaml).map(Document.root) ?? .empty
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            addDuplicates(of: keys, firstAt: context.mark, in: yaml)
        } catch let error as YamlError {
            let (message, mark) = Self.explain(error, in: yaml)
            add(message, at: mark)
        } catch {
            add("the YAML cannot be read: \(error)", at: nil)
        }
        return .invalid
    }

    /// Describes libyaml's error in one line, including the affected line of the file.
    private static func explain(_ error: YamlError, in yaml: String) -> (String, Mark?) {
        let message: String
        let place: Mark
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            if let advice = advice(on: problem, at: mark, in: yaml) { return (advice, mark) }
            message = "this is not valid YAML: \(problem)" + (context.map { ", \($0.text)" } ?? "")
            place = mark
        default:
            return ("the YAML cannot be read: \(error)", nil)
        }
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(place.line - 1) else { return (message, place) }
        let line = lines[place.line - 1].drop(while: \.isWhitespace)
        return (line.isEmpty ? message : "\(message), near '\(line)'", place)
    }

    /// Adds an issue for keys that occur twice, at the second occurrence of the first key.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - mark: The position of the first occurrence of the first key.
    ///   - yaml: The text.
    private func addDuplicates(of keys: [String], firstAt mark: Mark, in yaml: String) {
        let names = keys.map { "'\($0)'" }.joined(separator: ", ")
        let subject = keys.count == 1 ? "the key \(names) occurs" : "the keys \(names) occur"
        let remedy = "rename or remove the \(keys.count == 1 ? "duplicate" : "duplicates")"
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        // In a flow mapping, the second occurrence may be on the same line.
        let second = lines.indices.dropFirst(mark.line).first { index in
            let indentation = lines[index].prefix { $0 == " " }.count
            return indentation == mark.column - 1
                && lines[index].dropFirst(indentation).hasPrefix("\(keys.first ?? ""):")
        }
        guard let second else {
            return add("\(subject) twice in this mapping; \(remedy)", at: mark)
        }
        let first = keys.count == 1 ? "first" : "'\(keys[0])' first"
        add(
            "\(subject) twice in this mapping (\(first) on line \(mark.line)); \(remedy)",
            line: second + 1,
            column: mark.column
        )
    }

    /// Describes the likely mistake for a common error, or returns `nil` for any other error.
    private static func advice(on problem: String, at mark: Mark, in yaml: String) -> String? {
        let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(mark.line - 1) else { return nil }
        let indentation = lines[mark.line - 1].prefix(while: \.isWhitespace)
        if problem.contains("cannot start any token"), indentation.contains("\t") {
            return "this is not valid YAML: a tab cannot be used for indentation; use spaces"
        }
        guard problem == "did not find expected key" else { return nil }
        let line = lines[mark.line - 1].drop(while: \.isWhitespace)
        return "this is not valid YAML: expected a key; check the indentation and the quotation "
            + "marks, near '\(line)'"
    }
}

/// The positions of texts in a file, for messages about their use.
package struct TextPositions: Sendable, Equatable {
    package struct Position: Sendable, Equatable {
        package var line: Int
        package var column: Int
    }

    private var positions: [String: Position] = [:]

    package init() {}

    package subscript(_ text: String) -> Position? { positions[text] }

    /// Records the position of a text, unless the same text already has a position.
    package mutating func add(_ text: String, at mark: Mark?) {
        guard let mark, positions[text] == nil else { return }
        positions[text] = Position(line: mark.line, column: mark.column)
    }
}

/// A type that finds YAML that a parser could take exponential time to read.
///
/// Yams hashes each key of a mapping to find duplicates, and thereby visits all nodes of each alias
/// in the key. If anchors contain aliases of other anchors, the number of these nodes grows
/// exponentially with the length of the text. Aliases in values do not have this effect, because
/// the parser does not hash values.
package enum YAMLAliases {
    /// The number of aliases up to which the parser visits each node at most 400 times per key.
    private static let harmlessCount = 16

    /// The error message for a key that is an alias or a collection.
    package static let message = "a key must not be an alias or a collection; write the key as text"

    /// Returns the line, from 1, of the first key that is an alias or a collection, or `nil` if
    /// there is no such key or if the text has too few aliases to delay the parser.
    ///
    /// The function does not parse the text, so a match can also be in a quoted string.
    package static func costlyKeyLine(in yaml: String) -> Int? {
        var aliasCount = 0
        var found: Int?
        var line = 1
        // The first character that is not a space, before the current one.
        var previous = newline
        let bytes = Array(yaml.utf8)
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : newline
            switch byte {
            case newline: line += 1
            case space, tab, carriageReturn: continue
            case UInt8(ascii: "*") where isName(next):
                aliasCount += 1
                let end = bytes[(index + 1)...].firstIndex { !isName($0) } ?? bytes.endIndex
                if isKey(bytes[end...]) { found = found ?? line }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isKey(bytes[(index + 1)...]) { found = found ?? line }
            case UInt8(ascii: "?") where keyStarts.contains(previous) && blanks.contains(next):
                found = found ?? line
            default: break
            }
            previous = byte
        }
        return aliasCount > harmlessCount ? found : nil
    }

    private static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let space = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
    private static let blanks = [newline, carriageReturn, space, tab]
    /// The characters after which `?` can start a key.
    private static let keyStarts = Set("\n-?[{,:".utf8)

    /// The characters that may follow a value on its line, after blanks.
    private static let valueEnds = Set("\n\r,]}#".utf8)

    /// Returns whether the text before these bytes can be a key.
    ///
    /// libyaml reads `*a` in `*a text: 1` as a key before it reports an error, so the text is a
    /// value only if its line or its collection ends, or if a comma follows.
    private static func isKey(_ rest: ArraySlice<UInt8>) -> Bool {
        guard let next = rest.first(where: { $0 != space && $0 != tab }) else { return false }
        return !valueEnds.contains(next)
    }

    /// Returns whether libyaml accepts a character in the name of an anchor.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
