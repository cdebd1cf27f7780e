import Text

/// A value that is written as YAML, with comments.
///
/// A collection without comments is on one line if it fits. Other collections have a line for each
/// entry.
package struct YAMLValue: Sendable, Equatable {
    private indirect enum Content: Sendable, Equatable {
        case scalar(String)
        case list([YAMLValue])
        case mapping([Entry])
    }

    /// A key of a mapping.
    package struct Entry: Sendable, Equatable {
        package var key: String
        package var value: YAMLValue

        package init(_ key: String, _ value: YAMLValue) {
            self.key = key
            self.value = value
        }
    }

    private var content: Content
    /// The paragraphs of the comment before the value's key or entry.
    package var comments: [String] = []
    /// Whether a collection has a line for each entry even if it fits on one line.
    private var isBlock = false

    private static let width = 98

    private init(_ content: Content) { self.content = content }

    /// A scalar without quotes, such as a number, a quantity, or a word of a language.
    package static func plain(_ text: some CustomStringConvertible) -> YAMLValue {
        YAMLValue(.scalar(text.description))
    }

    /// A name, in quotes unless it is a word.
    package static func name(_ text: String) -> YAMLValue {
        YAMLValue(.scalar(Escaping.yamlName(text)))
    }

    /// Text in quotes, such as a sentence or SQL.
    package static func text(_ text: String) -> YAMLValue {
        YAMLValue(.scalar(Escaping.yaml(text)))
    }

    package static func list(_ items: [YAMLValue]) -> YAMLValue { YAMLValue(.list(items)) }

    package static func mapping(_ entries: [Entry]) -> YAMLValue { YAMLValue(.mapping(entries)) }

    /// The value with a line for each entry.
    package var block: YAMLValue {
        var value = self
        value.isBlock = true
        return value
    }

    /// Returns the value with a comment.
    package func commented(_ comments: [String]) -> YAMLValue {
        var value = self
        value.comments = comments
        return value
    }

    // MARK: Writing

    /// The value as a document, with empty lines between the sections with several lines.
    package var document: String {
        guard case .mapping(let entries) = content else { return lines(indent: 0).joinedLines }
        let sections = entries.map { Self.lines(of: $0, indent: 0) }
        var lines: [String] = []
        for (index, section) in sections.enumerated() {
            let isLong = section.count > 1 || index > 0 && sections[index - 1].count > 1
            if index > 0, isLong { lines.append("") }
            lines += section
        }
        return lines.joinedLines
    }

    /// Returns a comment as lines of at most about 100 characters.
    package static func comment(_ paragraphs: [String]) -> [String] {
        paragraphs.flatMap { paragraph -> [String] in
            var lines: [String] = []
            var line = ""
            for word in paragraph.split(separator: " ") {
                if line.count + word.count > 100, !line.isEmpty {
                    lines.append(line)
                    line = paragraph.hasPrefix("- ") ? " " : ""
                }
                line += (line.isEmpty ? "" : " ") + word
            }
            if !line.isEmpty { lines.append(line) }
            return lines.isEmpty ? ["#"] : lines.map(Escaping.yamlComment)
        }
    }

    /// The value on one line, or `nil` if it has comments or a line for each entry.
    private var line: String? {
        switch content {
        case .scalar(let text): return text
        case .list(let items):
            let parts = items.compactMap { $0.comments.isEmpty ? $0.line : nil }
            guard !isBlock || items.isEmpty, parts.count == items.count else { return nil }
            return "[\(parts.joined(separator: ", "))]"
        case .mapping(let entries):
            let parts = entries.compactMap { entry in
                entry.value.comments.isEmpty
                    ? entry.value.line.map { "\(Escaping.yamlName(entry.key)): \($0)" } : nil
            }
            guard !isBlock || entries.isEmpty, parts.count == entries.count else { return nil }
            return "{\(parts.joined(separator: ", "))}"
        }
    }

    private var isScalar: Bool { if case .scalar = content { true } else { false } }

    private func lines(indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        switch content {
        case .scalar(let text): return [space + text]
        case .mapping(let entries): return entries.flatMap { Self.lines(of: $0, indent: indent) }
        case .list(let items):
            return items.flatMap { item -> [String] in
                let comments = Self.comment(item.comments).map { space + $0 }
                if let line = item.line, item.isScalar || indent + line.count < Self.width {
                    return comments + ["\(space)- \(line)"]
                }
                var lines = item.lines(indent: indent + 2)
                lines[0] = "\(space)- " + lines[0].dropFirst(indent + 2)
                return comments + lines
            }
        }
    }

    private static func lines(of entry: Entry, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        let key = Escaping.yamlName(entry.key)
        let comments = comment(entry.value.comments).map { space + $0 }
        let value = entry.value
        if let line = value.line, value.isScalar || indent + key.count + line.count < width {
            return comments + ["\(space)\(key): \(line)"]
        }
        return comments + ["\(space)\(key):"] + value.lines(indent: indent + 2)
    }
}

extension [String] {
    fileprivate var joinedLines: String { joined(separator: "\n") + "\n" }
}
