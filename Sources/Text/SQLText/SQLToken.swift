/// A token of SQL text.
package struct SQLToken: Sendable, Equatable {
    package var kind: SQLLexer.Kind
    package var text: String
    /// The position of the token in the text, in bytes.
    package var range: Range<Int>
    /// Whether SQLite accepts the token, as in ``SQLLexer/isValid``.
    package var isValid: Bool
    /// Whether the token is the first one, or follows spaces or comments.
    package var followsSpace: Bool

    /// Returns all tokens of a text, including spaces and comments.
    ///
    /// Together, the tokens contain the whole text, up to the first NUL character.
    package static func all(in text: String) -> [SQLToken] {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return [] }
            var lexer = SQLLexer(base, count: bytes.count)
            var tokens: [SQLToken] = []
            var followsSpace = true
            while let kind = lexer.next() {
                tokens.append(
                    SQLToken(
                        kind: kind,
                        text: String(decoding: lexer.bytes, as: UTF8.self),
                        range: lexer.start..<lexer.end,
                        isValid: lexer.isValid,
                        followsSpace: followsSpace
                    )
                )
                followsSpace = kind == .space || kind == .comment
            }
            return tokens
        }
    }

    /// Returns the tokens of a text, without spaces and comments.
    package static func significant(in text: String) -> [SQLToken] {
        all(in: text).filter { $0.kind != .space && $0.kind != .comment }
    }

    /// The text of a word in upper case, the text of a symbol, or an empty string for any other
    /// token.
    package var keyword: String {
        kind == .word ? text.uppercased() : kind == .symbol ? text : ""
    }

    /// Whether the token is a word or a quoted name.
    package var isName: Bool { [.word, .doubleQuoted, .quoted].contains(kind) }

    /// The name without its quotes, or the whole text of a token that is not a name.
    package var name: String { isName ? unquoted : text }

    /// Returns whether the token is a certain symbol.
    package func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }

    /// The text without its quotes, in which doubled quotes are single, or the whole text of any
    /// token but a string or a quoted name.
    package var unquoted: String {
        guard [.string, .doubleQuoted, .quoted].contains(kind) else { return text }
        return Self.unquoted(text.utf8)
    }

    static func unquoted(_ bytes: some Collection<UInt8>) -> String {
        guard let quote = bytes.first else { return "" }
        let isBracket = quote == UInt8(ascii: "[")
        let end = isBracket ? UInt8(ascii: "]") : quote
        var text: [UInt8] = []
        var isDoubled = false
        for byte in bytes.dropFirst() {
            if byte == end, !isDoubled {
                isDoubled = true
            } else {
                text.append(byte)
                isDoubled = false
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
