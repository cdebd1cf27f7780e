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
            && statements(Array(SQLTokens(text))).contains { tokens in
                let words = tokens.filter { $0.kind != .space && $0.kind != .comment }
                return words.contains { $0.isWord("ATTACH") || $0.isWord("VACUUM") }
                    || words.contains { $0.isWord("PRAGMA") }
                        && words.contains { pragmas.contains(unquotedName($0)) }
            }
    }

    static func redacted(_ text: String) -> String {
        guard mayContain(text) else { return text }
        var result: [UInt8] = []
        for statement in statements(Array(SQLTokens(text))) { redact(statement, into: &result) }
        return String(decoding: result, as: UTF8.self)
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

    private static func statements(_ tokens: [SQLTokens.Token]) -> [ArraySlice<SQLTokens.Token>] {
        tokens.split(omittingEmptySubsequences: false) { $0.isCharacter(";") }
    }

    private static func redact(
        _ tokens: ArraySlice<SQLTokens.Token>,
        into result: inout [UInt8]
    ) {
        if !result.isEmpty { result.append(0x3b) }
        let words = tokens.filter { $0.kind != .space && $0.kind != .comment }
        let first = words.first { word in
            !(["EXPLAIN", "QUERY", "PLAN"] as [StaticString]).contains { word.isWord($0) }
        }
        guard let first,
            first.isWord("PRAGMA") || first.isWord("ATTACH") || first.isWord("VACUUM")
        else {
            for token in tokens { result += token.bytes }
            return
        }
        if first.isWord("PRAGMA") {
            let name = words.first { pragmas.contains(unquotedName($0)) }
            guard let name, let index = tokens.firstIndex(of: name) else {
                for token in tokens { result += token.bytes }
                return
            }
            // Everything after the name may be part of the key.
            for token in tokens[...index] { result += token.bytes }
            if index < tokens.endIndex - 1 { result += " = ?".utf8 }
            return
        }
        let isJoined = words.contains { $0.isCharacter("|") }
        for token in tokens {
            if token.isWord("KEY"), first.isWord("ATTACH") {
                result += "KEY ?".utf8
                return
            }
            result += mayBeURIWithKey(token, isJoined) ? ArraySlice("?".utf8) : token.bytes
        }
    }

    /// Returns whether a token, with any kind of quotes, may be a URI that specifies a file and a
    /// key (https://sqlite.org/uri.html).
    ///
    /// A URI may escape the characters of a parameter's name, and an expression may join its parts.
    private static func mayBeURIWithKey(_ token: SQLTokens.Token, _ isJoined: Bool) -> Bool {
        guard [.string, .doubleQuoted, .quoted].contains(token.kind) else { return false }
        let text = token.text.lowercased()
        return isJoined || text.contains("key=") || text.contains("?") && text.contains("%")
    }

    /// Returns the token's name in lowercase, without quotes.
    private static func unquotedName(_ token: SQLTokens.Token) -> String {
        String(
            token.text.lowercased().drop { "\"`['".contains($0) }.prefix { !"\"`]'".contains($0) }
        )
    }
}
