/// The form of a statement in which executions with other literals are the same statement.
enum StatementText {
    /// The longest normalized text, in characters.
    private static let limit = 4_096

    /// Replaces literals with `?`, lists of them with `?…`, and leaves out comments.
    ///
    /// A text between double quotes is an identifier only where the database has one of that name;
    /// elsewhere SQLite takes it for a string (https://sqlite.org/quirks.html, section 8). It is
    /// masked unless its place or a name of the schema shows that it is an identifier.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - identifiers: The names of tables, columns and indexes, in lower case.
    static func normalized(_ text: String, identifiers: Set<String> = []) -> String {
        let tokens = SQLTokens.significant(SecretKeys.redacted(text))
        var words: [String] = []
        var isColumnList = false
        for (index, token) in tokens.enumerated() {
            let previous = index > 0 ? tokens[index - 1] : nil
            let next = index + 1 < tokens.count ? tokens[index + 1] : nil
            if isColumnList, token.isCharacter(")") { isColumnList = false }
            if token.isCharacter("("), index >= 2, previous.map(isName) ?? false,
                tokens[..<index].suffix(4).contains(where: { $0.isWord("INTO") })
            {
                isColumnList = true
            }
            switch token.kind {
            case .space, .comment: break
            case .string, .blob, .number: words.append("?")
            case .doubleQuoted:
                let isIdentifier =
                    isColumnList || names(token, previous, next)
                    || identifiers.contains(unquoted(token))
                words.append(isIdentifier ? token.text : "?")
            case .word, .quoted, .punctuation: words.append(token.text)
            case .variable:
                // ?1 and ? are values alike; :name states what a value means.
                words.append(token.bytes.first == 0x3f ? "?" : token.text)
            }
        }
        return String(spaced(collapsed(words)).prefix(limit))
    }

    private static func isName(_ token: SQLTokens.Token) -> Bool {
        token.kind == .word || token.kind == .quoted || token.kind == .doubleQuoted
    }

    private static func unquoted(_ token: SQLTokens.Token) -> String {
        token.text.dropFirst().dropLast().replacing("\"\"", with: "\"").lowercased()
    }

    /// Whether the tokens beside a double-quoted one show that it is an identifier.
    private static func names(
        _ token: SQLTokens.Token,
        _ previous: SQLTokens.Token?,
        _ next: SQLTokens.Token?
    ) -> Bool {
        if next?.isCharacter(".") ?? false { return true }
        guard let previous else { return false }
        return previous.isCharacter(".")
            || ["FROM", "JOIN", "INTO", "UPDATE", "TABLE", "INDEX", "TRIGGER", "VIEW", "SAVEPOINT"]
                .contains { $0 == previous.text.uppercased() } && previous.kind == .word
    }

    /// Collapses lists of values, and rows of them: `(?, ?)` becomes `(?…)`, `(?…), (?…)` becomes
    /// `(?…)…`.
    private static func collapsed(_ words: [String]) -> [String] {
        var lists: [String] = []
        var index = 0
        while index < words.count {
            if words[index] == "(", index + 1 < words.count, words[index + 1] == "?" {
                var end = index + 1
                while end + 2 < words.count, words[end + 1] == ",", words[end + 2] == "?" {
                    end += 2
                }
                if end + 1 < words.count, words[end + 1] == ")" {
                    let isList = end > index + 1
                    lists += isList ? ["(?…)"] : ["(", "?", ")"]
                    index = end + 2
                    // Further rows.
                    continue
                }
            }
            lists.append(words[index])
            index += 1
        }
        var rows: [String] = []
        for word in lists {
            if word == "(?…)", rows.count >= 2, rows.suffix(2) == ["(?…)", ","] {
                rows.removeLast(2)
                rows.append("(?…)…")
            } else if word == "(?…)", rows.count >= 2, rows.suffix(2) == ["(?…)…", ","] {
                rows.removeLast()
            } else {
                rows.append(word)
            }
        }
        return rows
    }

    private static func spaced(_ words: [String]) -> String {
        var text = ""
        var previous = ""
        for word in words {
            let isTight =
                text.isEmpty || [",", ")", ".", ";"].contains(word)
                || ["(", "."].contains(previous)
            if !isTight, !(word == "(" && isFunction(previous)) { text += " " }
            text += word
            previous = word
        }
        return text
    }

    /// Whether a word before a parenthesis is the name of a function, as in `count(*)`.
    private static func isFunction(_ word: String) -> Bool {
        ["count", "sum", "min", "max", "avg", "abs", "coalesce", "length", "random", "total"]
            .contains(word.lowercased())
    }
}
