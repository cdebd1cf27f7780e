/// A token of a statement, according to <https://sqlite.org/lang_expr.html>.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A keyword or an unquoted name.
        case word
        /// A name in double quotes, backticks, or brackets, or a string in double quotes.
        case quotedName
        case string
        /// A blob literal, such as `x'0a'`.
        case blob
        case number
        /// A parameter: `?`, `?1`, `:name`, `@name`, or `$name`.
        case parameter
        case symbol
    }

    var kind: Kind
    var text: String
    /// Whether the token is the first one, or follows spaces or comments.
    var followsSpace: Bool

    /// The text of a word in upper case, or an empty string for any other token.
    var keyword: String { kind == .word ? text.uppercased() : "" }

    /// The name without its quotes.
    var name: String {
        guard kind == .quotedName else { return text }
        return text.utf8.first == UInt8(ascii: "[") ? Self.content(of: text) : unquoted
    }

    /// The value of a string, without its quotes.
    var unquoted: String {
        guard let quote = text.unicodeScalars.first, "'\"`".unicodeScalars.contains(quote) else {
            return text
        }
        return Self.content(of: text).undoubling(quote)
    }

    /// Returns the text between the first and the last scalar.
    ///
    /// This uses scalars, because a combining character after a quote belongs to the quote's
    /// `Character`.
    private static func content(of text: String) -> String {
        String(text.unicodeScalars.dropFirst().dropLast())
    }
}

/// A lexer that splits a statement into tokens and removes its comments.
struct SQLLexer {
    enum Failure: Error, Equatable {
        case unterminated(String)
        case unexpected(String)
        case incomplete(String)
        case severalStatements

        var message: String {
            switch self {
            case .unterminated(let what): "\(what) is not terminated"
            case .unexpected(let text): "'\(text)' is not valid SQL"
            case .incomplete(let word): "no statement follows '\(word)'"
            case .severalStatements: "it contains several statements"
            }
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    private init(_ sql: String) { bytes = Array(sql.utf8) }

    static func tokens(of sql: String) throws(Failure) -> [SQLToken] {
        var lexer = SQLLexer(sql)
        var tokens: [SQLToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    private mutating func next() throws(Failure) -> SQLToken? {
        let oldPosition = position
        try skipSpace()
        let followsSpace = position > oldPosition || position == 0
        guard let byte = peek() else { return nil }
        let start = position
        let kind = try read(byte)
        return SQLToken(
            kind: kind,
            text: String(decoding: bytes[start..<position], as: UTF8.self),
            followsSpace: followsSpace
        )
    }

    private mutating func skipSpace() throws(Failure) {
        while let byte = peek() {
            if (9...13).contains(byte) || byte == 32 {
                position += 1
            } else if byte == UInt8(ascii: "-"), peek(1) == UInt8(ascii: "-") {
                while let byte = peek(), byte != 10 { position += 1 }
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                // SQLite accepts an unterminated comment at the end of the text.
                position += 2
                while position < bytes.count,
                    !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/"))
                { position += 1 }
                position = min(position + 2, bytes.count)
            } else {
                return
            }
        }
    }

    private mutating func read(_ byte: UInt8) throws(Failure) -> SQLToken.Kind {
        switch byte {
        case UInt8(ascii: "'"):
            try skipQuoted(by: byte, what: "a string in single quotes")
            return .string
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            try skipQuoted(by: byte, what: "a name in quotes")
            return .quotedName
        case UInt8(ascii: "["):
            guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else {
                throw .unterminated("a name in brackets")
            }
            position = end + 1
            return .quotedName
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard peek(1) == UInt8(ascii: "'") else { break }
            position += 1
            try skipQuoted(by: UInt8(ascii: "'"), what: "a blob")
            return .blob
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
            position += 1
            let start = position
            skipName()
            if byte == UInt8(ascii: "?") || position > start { return .parameter }
            throw .unexpected(String(UnicodeScalar(byte)))
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            skipNumber()
            return .number
        case UInt8(ascii: "."):
            guard let digit = peek(1), Self.isDigit(digit) else { break }
            skipNumber()
            return .number
        default: break
        }
        if Self.isNameByte(byte) {
            skipName()
            return .word
        }
        return try readSymbol(byte)
    }

    private static let longSymbols = [
        "->>", "||", "<=", ">=", "<>", "!=", "==", "<<", ">>", "->",
    ].map { Array($0.utf8) }
    private static let symbols = Array("()+-*/%&|~<>=,.;".utf8)

    private mutating func readSymbol(_ byte: UInt8) throws(Failure) -> SQLToken.Kind {
        for symbol in Self.longSymbols where bytes[position...].starts(with: symbol) {
            position += symbol.count
            return .symbol
        }
        guard Self.symbols.contains(byte) else {
            throw .unexpected(String(UnicodeScalar(byte)))
        }
        position += 1
        return .symbol
    }

    private mutating func skipQuoted(by quote: UInt8, what: String) throws(Failure) {
        position += 1
        while let byte = peek() {
            position += 1
            guard byte == quote else { continue }
            if peek() == quote { position += 1 } else { return }
        }
        throw .unterminated(what)
    }

    private mutating func skipName() {
        while let byte = peek(), Self.isNameByte(byte) { position += 1 }
    }

    private mutating func skipNumber() {
        // 0x1F, 1.5e-3, and 1_000 are one token each.
        while let byte = peek() {
            let isExponentSign =
                (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
                && (bytes[position - 1] | 0x20) == UInt8(ascii: "e")
                && !bytes[..<position].reversed().prefix(while: Self.isNameByte)
                    .contains { ($0 | 0x20) == UInt8(ascii: "x") }
            guard Self.isNameByte(byte) || byte == UInt8(ascii: ".") || isExponentSign else {
                return
            }
            position += 1
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
