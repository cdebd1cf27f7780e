/// A lexer for SQLite's language that neither copies the text nor allocates memory.
///
/// Its tokens are those of SQLite's own tokenizer, which also ends the text at a NUL character.
/// Where versions of SQLite differ, the lexer follows the newest: an underscore may separate the
/// digits of a number (3.46).
package struct SQLLexer {
    package enum Kind: Sendable, Equatable {
        /// White space, or a byte order mark.
        case space
        case comment
        /// A literal in single quotes.
        case string
        /// A literal such as `x'0a'`.
        case blob
        case number
        /// A keyword or an unquoted name.
        case word
        /// A name in double quotes, or a string if no such name exists.
        case doubleQuoted
        /// A name in brackets or backticks.
        case quoted
        /// A parameter: `?`, `?1`, `:name`, `@name`, `#name`, or `$name::part(suffix)`.
        case variable
        /// An operator, which may have several characters, a parenthesis, a comma, a period, or a
        /// semicolon.
        case symbol
    }

    private let base: UnsafePointer<UInt8>
    private let count: Int

    /// The position of the first byte of the last token.
    package private(set) var start = 0

    /// The position after the last token.
    package private(set) var end = 0

    /// Whether SQLite accepts the last token.
    ///
    /// SQLite rejects a token without its closing quote, a number with letters, and a character
    /// such as `{`.
    package private(set) var isValid = true

    /// Creates a lexer at the start of UTF-8 text, which must outlive the lexer.
    ///
    /// - Parameters:
    ///   - base: The first byte of the text.
    ///   - count: The number of bytes. A NUL character ends the text earlier.
    package init(_ base: UnsafePointer<UInt8>, count: Int = .max) {
        self.base = base
        self.count = count
    }

    /// Reads the next token.
    ///
    /// - Returns: The kind of the token, or `nil` at the end of the text.
    package mutating func next() -> Kind? {
        start = end
        isValid = true
        let first = byte(start)
        end += 1
        switch first {
        case "\0":
            end = start
            return nil
        case " ", "\t", "\n", "\u{0C}", "\r":
            // A vertical tab is white space after other white space.
            skip(while: Self.isSpace)
            return .space
        case "\u{EF}" where byte(end) == "\u{BB}" && byte(end + 1) == "\u{BF}":
            end += 2
            return .space
        case "-" where byte(end) == "-":
            skip { $0 != "\n" }
            return .comment
        case "/" where byte(end) == "*" && byte(end + 1) != "\0":
            skipComment()
            return .comment
        case "'": return quoted(by: first, .string)
        case "\"": return quoted(by: first, .doubleQuoted)
        case "`": return quoted(by: first, .quoted)
        case "[":
            skip { $0 != "]" }
            return close(.quoted)
        case "x", "X":
            if byte(end) == "'" { return blob() }
            skip(while: Self.isNameByte)
            return .word
        case "0"..."9": return number(first)
        case "." where Self.isDigit(byte(end)): return number(first)
        case "?":
            skip(while: Self.isDigit)
            return .variable
        case "$", "@", ":", "#": return variable()
        case _ where Self.isNameByte(first):
            skip(while: Self.isNameByte)
            return .word
        default: return symbol(first)
        }
    }

    /// Reads the next token that is neither white space nor a comment.
    package mutating func nextSignificant() -> Kind? {
        while let kind = next() { if kind != .space, kind != .comment { return kind } }
        return nil
    }

    /// Returns whether the last token is a keyword, which must be in upper case.
    package func isWord(_ keyword: StaticString) -> Bool {
        let length = keyword.utf8CodeUnitCount
        guard end - start == length else { return false }
        for index in 0..<length where base[start + index] & 0xDF != keyword.utf8Start[index] {
            return false
        }
        return true
    }

    /// Returns whether the last token is a certain character.
    package func isCharacter(_ character: UInt8) -> Bool {
        end - start == 1 && base[start] == character
    }

    /// The bytes of the last token.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + start, count: end - start)
    }

    // MARK: Kinds of tokens

    private mutating func skipComment() {
        end += 1
        while byte(end) != "\0" {
            if byte(end) == "*", byte(end + 1) == "/" {
                end += 2
                return
            }
            end += 1
        }
    }

    /// Reads a token in which a doubled quote is part of the text.
    private mutating func quoted(by quote: Unicode.Scalar, _ kind: Kind) -> Kind {
        while true {
            skip { $0 != quote }
            guard byte(end) == quote, byte(end + 1) == quote else { return close(kind) }
            end += 2
        }
    }

    /// Skips the closing character, if there is one.
    private mutating func close(_ kind: Kind) -> Kind {
        isValid = byte(end) != "\0"
        if isValid { end += 1 }
        return kind
    }

    private mutating func blob() -> Kind {
        end += 1
        skip(while: Self.isHexadecimalDigit)
        let isComplete = byte(end) == "'" && (end - start) % 2 == 0
        skip { $0 != "'" }
        let kind = close(.blob)
        isValid = isValid && isComplete
        return kind
    }

    private mutating func number(_ first: Unicode.Scalar) -> Kind {
        if first == "0", ["x", "X"].contains(byte(end)), Self.isHexadecimalDigit(byte(end + 1)) {
            end += 1
            skipDigits(Self.isHexadecimalDigit)
        } else {
            end = start
            skipDigits(Self.isDigit)
            if byte(end) == "." {
                end += 1
                skipDigits(Self.isDigit)
            }
            let sign = byte(end + 1)
            let digit = sign == "+" || sign == "-" ? end + 2 : end + 1
            if ["e", "E"].contains(byte(end)), Self.isDigit(byte(digit)) {
                end = digit
                skipDigits(Self.isDigit)
            }
        }
        let numberEnd = end
        skip(while: Self.isNameByte)
        isValid = isValid && end == numberEnd
        return .number
    }

    /// Skips digits, and single underscores between them.
    private mutating func skipDigits(_ isDigit: (Unicode.Scalar) -> Bool) {
        skip(while: isDigit)
        while byte(end) == "_", end > start, isDigit(byte(end - 1)), isDigit(byte(end + 1)) {
            end += 1
            skip(while: isDigit)
        }
    }

    private mutating func variable() -> Kind {
        var nameLength = 0
        while true {
            if Self.isNameByte(byte(end)) {
                end += 1
                nameLength += 1
            } else if byte(end) == "(", nameLength > 0 {
                skip { !Self.isSpace($0) && $0 != ")" }
                isValid = byte(end) == ")"
                if isValid { end += 1 }
                return .variable
            } else if byte(end) == ":", byte(end + 1) == ":" {
                end += 2
            } else {
                break
            }
        }
        isValid = nameLength > 0
        return isValid ? .variable : .symbol
    }

    private mutating func symbol(_ first: Unicode.Scalar) -> Kind {
        let second = byte(end)
        switch (first, second) {
        case ("-", ">"): end += byte(end + 1) == ">" ? 2 : 1
        case ("=", "="), ("<", "="), ("<", ">"), ("<", "<"), (">", "="), (">", ">"), ("!", "="),
            ("|", "|"):
            end += 1
        case ("(", _), (")", _), ("+", _), ("-", _), ("*", _), ("/", _), ("%", _), ("&", _),
            ("|", _), ("~", _), ("<", _), (">", _), ("=", _), (",", _), (".", _), (";", _):
            break
        default: isValid = false
        }
        return .symbol
    }

    // MARK: Bytes

    /// Returns a byte, or `\0` after the end of the text.
    @inline(__always)
    private func byte(_ index: Int) -> Unicode.Scalar {
        Unicode.Scalar(index < count ? base[index] : 0)
    }

    @inline(__always)
    private mutating func skip(while belongs: (Unicode.Scalar) -> Bool) {
        while case let byte = byte(end), byte != "\0", belongs(byte) { end += 1 }
    }

    private static func isSpace(_ byte: Unicode.Scalar) -> Bool {
        byte == " " || ("\t"..."\r").contains(byte)
    }

    private static func isDigit(_ byte: Unicode.Scalar) -> Bool { ("0"..."9").contains(byte) }

    private static func isHexadecimalDigit(_ byte: Unicode.Scalar) -> Bool {
        isDigit(byte) || ("a"..."f").contains(byte) || ("A"..."F").contains(byte)
    }

    /// Returns whether a byte is a letter, a digit, `_`, `$`, or part of a non-ASCII character.
    private static func isNameByte(_ byte: Unicode.Scalar) -> Bool {
        switch byte {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
        default: byte.value >= 0x80
        }
    }
}

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

/// Names of tables and columns in SQL.
package enum SQLIdentifier {
    /// Returns a name as an SQL identifier, in double quotes if necessary.
    package static func text(_ name: String) -> String {
        let isWord =
            name.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
                    || ("0"..."9").contains(scalar) || scalar == "_"
            } && name.first?.isLetter == true
        guard !isWord || keywords.contains(name.uppercased()) else { return name }
        // A quote and a following combining character form one `Character`.
        var quoted = "\"".unicodeScalars
        for scalar in name.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// The words that SQLite accepts as names only in quotes
    /// (<https://sqlite.org/lang_keywords.html>).
    private static let keywords = Set(
        """
        ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE \
        BEGIN BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE \
        CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE \
        DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE \
        EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS \
        HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS \
        ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL \
        NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY \
        RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING \
        RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION \
        TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW \
        WITH WITHOUT
        """.split(separator: " ").map(String.init)
    )
}
