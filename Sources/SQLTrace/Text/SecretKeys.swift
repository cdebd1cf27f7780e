/// The keys of encrypted databases in statements: they are never shown, whatever is asked for.
enum SecretKeys {
    private static let pragmas: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "cipher_key", "cipher_salt",
    ]

    /// Whether a text, redacted or not, may contain a statement that sets a key: its bound values
    /// are then not shown either.
    static func contains(_ text: String) -> Bool {
        mayContain(text)
            && statements(Array(SQLTokens(text))).contains { tokens in
                let words = tokens.filter { $0.kind != .space && $0.kind != .comment }
                return words.contains { $0.isWord("ATTACH") }
                    || words.contains { $0.isWord("PRAGMA") }
                        && words.contains { pragmas.contains(bare($0)) }
            }
    }

    /// The text with `?` in place of each key.
    static func redacted(_ text: String) -> String {
        guard mayContain(text) else { return text }
        var result: [UInt8] = []
        for statement in statements(Array(SQLTokens(text))) { redact(statement, into: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Most texts contain neither keyword, and need no tokens.
    private static func mayContain(_ text: String) -> Bool {
        var window: UInt64 = 0
        for byte in text.utf8 {
            window = window << 8 | UInt64(byte & 0xdf)
            // "PRAGMA" and "ATTACH" in upper case.
            if window & 0xffff_ffff_ffff == 0x5052_4147_4d41
                || window & 0xffff_ffff_ffff == 0x4154_5441_4348
            {
                return true
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
        guard let first = words.first(where: { !$0.isWord("EXPLAIN") && !$0.isWord("QUERY") }),
            first.isWord("PRAGMA") || first.isWord("ATTACH")
        else {
            for token in tokens { result += token.bytes }
            return
        }
        if first.isWord("PRAGMA") {
            let name = words.first { pragmas.contains(bare($0)) }
            guard let name, let index = tokens.firstIndex(of: name) else {
                for token in tokens { result += token.bytes }
                return
            }
            // Whatever follows may be a part of the key.
            for token in tokens[...index] { result += token.bytes }
            if index < tokens.endIndex - 1 { result += " = ?".utf8 }
            return
        }
        for token in tokens {
            if token.isWord("KEY") {
                result += "KEY ?".utf8
                return
            }
            // The name of a file may be a URI with a key.
            let isURI = token.kind == .string || token.kind == .doubleQuoted
            let text = isURI ? token.text.lowercased() : ""
            result += text.contains("key=") ? ArraySlice("?".utf8) : token.bytes
        }
    }

    /// A name in lower case, without quotes.
    private static func bare(_ token: SQLTokens.Token) -> String {
        String(
            token.text.lowercased().drop { "\"`['".contains($0) }.prefix { !"\"`]'".contains($0) }
        )
    }
}
