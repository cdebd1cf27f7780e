/// A tokenizer that splits SQL into tokens for finding parameters and the ends of statements.
///
/// The tokenizer follows SQLite's rules for strings, quoted identifiers, and comments
/// (<https://sqlite.org/lang_expr.html>, <https://sqlite.org/lang_comment.html>).
struct SQLTokenizer: Sequence, IteratorProtocol {
    enum Kind: Equatable {
        /// A keyword, a name, or a number.
        case word
        /// `:name`.
        case parameter
        /// `?`, `?1`, `@name`, or `$name`.
        case unsupportedParameter
        /// `;`.
        case semicolon
        /// A string, a quoted name, or a single character.
        case other
    }

    /// A token and its range in UTF-8 bytes.
    struct Token: Equatable {
        var kind: Kind
        var range: Range<Int>
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ sql: String) { bytes = Array(sql.utf8) }

    func text(_ token: Token) -> String { String(decoding: bytes[token.range], as: UTF8.self) }

    mutating func next() -> Token? {
        while let byte = peek() {
            switch byte {
            case " ", "\t", "\n", "\r", "\u{0C}":
                position += 1
            case "-" where peek(1) == "-":
                skip { $0 != "\n" }
            case "/" where peek(1) == "*":
                skipBlockComment()
            default:
                return token(startingWith: byte)
            }
        }
        return nil
    }

    private mutating func token(startingWith byte: Unicode.Scalar) -> Token {
        let start = position
        position += 1
        let kind: Kind
        switch byte {
        case "'", "\"", "`":
            skipQuoted(by: byte)
            kind = .other
        case "[":
            skip { $0 != "]" }
            position = Swift.min(position + 1, bytes.count)
            kind = .other
        case ";":
            kind = .semicolon
        case ":" where peek() == ":":
            // PostgreSQL's cast, `::type`, is not a parameter.
            position += 1
            skip(while: Self.isNameByte)
            kind = .other
        case ":" where peek().map(Self.isNameByte) ?? false:
            skip(while: Self.isNameByte)
            kind = .parameter
        case "?", "@", "$":
            skip(while: Self.isNameByte)
            kind = .unsupportedParameter
        case let first where Self.isNameByte(first):
            skip(while: Self.isNameByte)
            kind = .word
        default:
            kind = .other
        }
        return Token(kind: kind, range: start..<position)
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        let index = position + offset
        return index < bytes.count ? Unicode.Scalar(bytes[index]) : nil
    }

    private mutating func skip(while belongs: (Unicode.Scalar) -> Bool) {
        while let byte = peek(), belongs(byte) { position += 1 }
    }

    private mutating func skipQuoted(by quote: Unicode.Scalar) {
        while let byte = peek() {
            position += 1
            guard byte == quote else { continue }
            // A doubled quote character represents one quote character.
            if peek() == quote { position += 1 } else { return }
        }
    }

    private mutating func skipBlockComment() {
        position += 2
        while position < bytes.count, peek() != "*" || peek(1) != "/" { position += 1 }
        position = Swift.min(position + 2, bytes.count)
    }

    /// Returns whether a byte is a letter, a digit, `_`, `$`, or part of a non-ASCII character.
    private static func isNameByte(_ byte: Unicode.Scalar) -> Bool {
        switch byte {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
        default: byte.value >= 0x80
        }
    }
}
