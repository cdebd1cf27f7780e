import SQLText

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
            result += mayBeURIWithKey(token, isJoined) ? "?" : token.text
        }
    }

    /// Returns whether a token, with any kind of quotes, may be a URI that specifies a file and a
    /// key (https://sqlite.org/uri.html).
    ///
    /// A URI may escape the characters of a parameter's name, and an expression may join its parts.
    private static func mayBeURIWithKey(_ token: SQLToken, _ isJoined: Bool) -> Bool {
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
