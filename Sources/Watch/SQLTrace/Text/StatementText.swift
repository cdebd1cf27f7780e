import SQLText

/// A normalizer that gives statements that differ only in literals the same text.
enum StatementText {
    /// The maximum length of a normalized text, in characters.
    private static let limit = 4_096

    /// Replaces literals with `?`, collapses lists of literals, and removes comments.
    ///
    /// Text in double quotes is an identifier only if the database has an identifier with that
    /// name. Otherwise, SQLite treats the text as a string (https://sqlite.org/quirks.html, section
    /// 8). The text is masked unless its position or a name in the schema shows that it is an
    /// identifier.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - identifiers: The names in the schema, in lowercase.
    /// - Returns: The normalized text, truncated to 4,096 characters.
    static func normalized(_ text: String, identifiers: Set<String> = []) -> String {
        let tokens = SQLToken.significant(in: SecretKeys.redacted(text))
        var words: [String] = []
        var isColumnList = false
        for (index, token) in tokens.enumerated() {
            let next = index + 1 < tokens.count ? tokens[index + 1] : nil
            if isColumnList, token.isSymbol(")") { isColumnList = false }
            if token.isSymbol("("), beginsColumnList(tokens[..<index]) { isColumnList = true }
            switch token.kind {
            case .space, .comment: break
            case .string: words.append(SQLStructure.contains(tokens, index) ? token.text : "?")
            case .blob, .number: words.append("?")
            case .doubleQuoted:
                let isIdentifier =
                    isColumnList || isIdentifierPosition(tokens, at: index, next: next)
                    || identifiers.contains(token.unquoted.lowercased())
                words.append(isIdentifier ? token.text : "?")
            case .word, .quoted, .symbol: words.append(token.text)
            case .variable:
                // Treat ?1 like ?, but keep :name, which describes the value.
                words.append(token.text.utf8.first == UInt8(ascii: "?") ? "?" : token.text)
            }
        }
        return String(spaced(collapsed(words)).prefix(limit))
    }

    /// Returns whether a parenthesis after these tokens begins the column list of an `INSERT`,
    /// which directly follows `INTO [schema.]name [AS alias]`.
    private static func beginsColumnList(_ tokens: ArraySlice<SQLToken>) -> Bool {
        // `popLast()` would copy all tokens.
        guard let last = tokens.last, isName(last) else { return false }
        var rest = tokens.dropLast()
        if rest.last?.keyword == "AS" {
            guard let name = rest.dropLast().last, isName(name) else { return false }
            rest = rest.dropLast(2)
        }
        if rest.last?.isSymbol(".") ?? false {
            guard let schema = rest.dropLast().last, isName(schema) else { return false }
            rest = rest.dropLast(2)
        }
        return endsWithInsertInto(rest)
    }

    /// Returns whether the tokens end with the `INTO` of an `INSERT` rather than of `VACUUM INTO`.
    private static func endsWithInsertInto(_ tokens: ArraySlice<SQLToken>) -> Bool {
        guard tokens.last?.keyword == "INTO", let verb = tokens.dropLast().last else {
            return false
        }
        return ["INSERT", "REPLACE", "IGNORE", "ABORT", "FAIL", "ROLLBACK"]
            .contains(verb.keyword)
    }

    /// The keywords near the target of an `INSERT`, which are not names.
    private static let keywords: Set = [
        "VALUES", "SELECT", "WITH", "DEFAULT", "AS", "SET", "INTO", "FROM", "WHERE",
    ]

    private static func isName(_ token: SQLToken) -> Bool {
        token.kind == .word && !keywords.contains(token.keyword)
            || token.kind == .quoted || token.kind == .doubleQuoted
    }

    /// Returns whether the adjacent tokens show that a double-quoted token is an identifier.
    private static func isIdentifierPosition(
        _ tokens: [SQLToken],
        at index: Int,
        next: SQLToken?
    ) -> Bool {
        if next?.isSymbol(".") ?? false { return true }
        let before = tokens[..<index]
        guard let previous = before.last else { return false }
        if previous.isSymbol(".") { return true }
        // `a IS DISTINCT FROM "b"` compares values.
        if previous.keyword == "FROM" { return before.dropLast().last?.keyword != "DISTINCT" }
        return endsWithInsertInto(before)
            || [
                "JOIN", "UPDATE", "TABLE", "INDEX", "TRIGGER", "VIEW", "SAVEPOINT", "RELEASE", "TO",
            ]
            .contains(previous.keyword)
    }

    /// Collapses lists of values and of rows: `IN (?, ?)` becomes `IN (?…)`, and
    /// `VALUES (?, ?), (?, ?)` becomes `VALUES (?, ?)…`.
    private static func collapsed(_ words: [String]) -> [String] {
        let ends = groupEnds(of: words)
        var result: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index].uppercased()
            result.append(words[index])
            index += 1
            if word == "IN", let end = listEnd(words, ends: ends, from: index), end > index + 3 {
                result.append("(?…)")
                index = end
            } else if word == "VALUES", let end = ends[index] {
                let row = words[index..<end]
                result += row
                index = end
                var isRepeated = false
                while index < words.count, words[index] == ",",
                    words[(index + 1)...].starts(with: row)
                {
                    index += 1 + row.count
                    isRepeated = true
                }
                if isRepeated { result.append("…") }
            }
        }
        return result
    }

    /// Returns the index after `( ?, ?, … )`, or `nil` for anything else.
    private static func listEnd(_ words: [String], ends: [Int: Int], from start: Int) -> Int? {
        guard let end = ends[start] else { return nil }
        let inner = words[(start + 1)..<(end - 1)]
        let isList = inner.enumerated().allSatisfy {
            $0.element == ($0.offset % 2 == 0 ? "?" : ",")
        }
        return isList ? end : nil
    }

    /// Returns the index after the matching parenthesis for each opening parenthesis.
    ///
    /// One pass finds all of them, because a hostile statement can contain thousands of unmatched
    /// parentheses.
    private static func groupEnds(of words: [String]) -> [Int: Int] {
        var ends: [Int: Int] = [:]
        var open: [Int] = []
        for (index, word) in words.enumerated() {
            if word == "(" { open.append(index) }
            if word == ")", let start = open.popLast() { ends[start] = index + 1 }
        }
        return ends
    }

    private static func spaced(_ words: [String]) -> String {
        var text = ""
        var previous = ""
        for word in words {
            let omitsSpace =
                text.isEmpty || [",", ")", ".", ";", "…"].contains(word)
                || ["(", "."].contains(previous)
            if !omitsSpace, !(word == "(" && isFunction(previous)) { text += " " }
            text += word
            previous = word
        }
        return text
    }

    /// Returns whether a word before a parenthesis is the name of a common function, as in
    /// `count(*)`.
    private static func isFunction(_ word: String) -> Bool {
        ["count", "sum", "min", "max", "avg", "abs", "coalesce", "length", "random", "total"]
            .contains(word.lowercased())
    }
}

/// A type that redacts the keys of encrypted databases in statements.
///
/// No option reveals these keys.
enum SecretKeys {
    private static let pragmas: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "cipher_key", "cipher_salt",
    ]

    /// Returns whether text, redacted or not, may contain a statement that sets a key.
    ///
    /// The bound values of such a statement are also hidden.
    static func contains(_ text: String) -> Bool {
        mayContain(text)
            && statements(SQLToken.all(in: text)).contains { tokens in
                let words = tokens.filter { $0.kind != .space && $0.kind != .comment }
                return words.contains { ["ATTACH", "VACUUM"].contains($0.keyword) }
                    || words.contains { $0.keyword == "PRAGMA" }
                        && words.contains { pragmas.contains(unquotedName($0)) }
            }
    }

    static func redacted(_ text: String) -> String {
        guard mayContain(text) else { return text }
        var result = ""
        for statement in statements(SQLToken.all(in: text)) { redact(statement, into: &result) }
        return result
    }

    /// Returns whether text contains a keyword of a statement that may set a key.
    ///
    /// This fast check excludes most statements.
    private static func mayContain(_ text: String) -> Bool {
        var window: UInt64 = 0
        for byte in text.utf8 {
            window = window << 8 | UInt64(byte & 0xdf)
            switch window & 0xffff_ffff_ffff {
            // "PRAGMA", "ATTACH", and "VACUUM" in upper case.
            case 0x5052_4147_4d41, 0x4154_5441_4348, 0x5641_4355_554d: return true
            default: break
            }
        }
        return false
    }

    private static func statements(_ tokens: [SQLToken]) -> [ArraySlice<SQLToken>] {
        tokens.split(omittingEmptySubsequences: false) { $0.isSymbol(";") }
    }

    private static func redact(
        _ tokens: ArraySlice<SQLToken>,
        into result: inout String
    ) {
        if !result.isEmpty { result += ";" }
        let words = tokens.filter { $0.kind != .space && $0.kind != .comment }
        let first = words.first { !["EXPLAIN", "QUERY", "PLAN"].contains($0.keyword) }?.keyword
        guard let first, ["PRAGMA", "ATTACH", "VACUUM"].contains(first) else {
            for token in tokens { result += token.text }
            return
        }
        if first == "PRAGMA" {
            let name = words.first { pragmas.contains(unquotedName($0)) }
            guard let name, let index = tokens.firstIndex(of: name) else {
                for token in tokens { result += token.text }
                return
            }
            // Everything after the name may be part of the key.
            for token in tokens[...index] { result += token.text }
            if index < tokens.endIndex - 1 { result += " = ?" }
            return
        }
        let isJoined = words.contains { $0.isSymbol("||") }
        for token in tokens {
            if token.keyword == "KEY", first == "ATTACH" {
                result += "KEY ?"
                return
            }
            result += mayBeURIWithKey(token, isJoined: isJoined) ? "?" : token.text
        }
    }

    /// Returns whether a token, with any kind of quotes, may be a URI that specifies a file and a
    /// key (https://sqlite.org/uri.html).
    ///
    /// A URI may escape the characters of a parameter's name, and an expression may join its parts.
    private static func mayBeURIWithKey(_ token: SQLToken, isJoined: Bool) -> Bool {
        guard [.string, .doubleQuoted, .quoted].contains(token.kind) else { return false }
        let text = token.text.lowercased()
        return isJoined || text.contains("key=") || text.contains("?") && text.contains("%")
    }

    /// Returns the token's name in lowercase, without quotes.
    private static func unquotedName(_ token: SQLToken) -> String {
        String(
            token.text.lowercased().drop { "\"`['".contains($0) }.prefix { !"\"`]'".contains($0) }
        )
    }
}

/// SQL without literals and keys, for texts that other people may read.
package enum MaskedSQL {
    /// Returns a statement with `?` in place of each literal, truncated to 4,096 characters.
    package static func text(_ sql: String) -> String { StatementText.normalized(sql) }
}
