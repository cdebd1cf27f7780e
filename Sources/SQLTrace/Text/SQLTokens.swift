/// The tokens of SQLite's language (https://sqlite.org/lang.html) that masking requires.
struct SQLTokens: Sequence, IteratorProtocol {
    enum Kind: Sendable, Equatable {
        case space
        case comment
        case string
        case blob
        case number
        /// A keyword or an unquoted identifier.
        case word
        /// An identifier in double quotes, or a string if no such identifier exists.
        case doubleQuoted
        /// An identifier in brackets or backticks.
        case quoted
        case variable
        case punctuation
    }

    struct Token: Sendable, Equatable {
        var kind: Kind
        var bytes: ArraySlice<UInt8>

        var text: String { String(decoding: bytes, as: UTF8.self) }

        /// Returns whether the token is the keyword `word`, which must be in upper case.
        func isWord(_ word: StaticString) -> Bool {
            guard kind == .word, bytes.count == word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { expected in
                zip(bytes, expected).allSatisfy { $0 & 0xdf == $1 || $0 == $1 }
            }
        }

        /// Returns whether the token is a punctuation character.
        func isCharacter(_ character: Unicode.Scalar) -> Bool {
            kind == .punctuation && bytes.count == 1
                && bytes.first.map(UInt32.init) == character.value
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    static func significant(_ text: String) -> [Token] {
        SQLTokens(text).filter { $0.kind != .space && $0.kind != .comment }
    }

    mutating func next() -> Token? {
        guard let first = rest.first else { return nil }
        let second = rest.dropFirst().first
        switch first {
        case 0x20, 0x09, 0x0a, 0x0c, 0x0d:
            return take(.space) { [0x20, 0x09, 0x0a, 0x0c, 0x0d].contains($0) }
        case 0x2d where second == 0x2d: return take(.comment) { $0 != 0x0a }
        case 0x2f where second == 0x2a:
            var end = rest.startIndex + 2
            while end < rest.endIndex {
                if rest[end] == 0x2f, rest[end - 1] == 0x2a, end > rest.startIndex + 2 {
                    end += 1
                    break
                }
                end += 1
            }
            return take(.comment, to: end)
        case 0x27: return takeQuoted(.string, from: rest.startIndex, by: 0x27)
        case 0x22: return takeQuoted(.doubleQuoted, from: rest.startIndex, by: 0x22)
        case 0x60: return takeQuoted(.quoted, from: rest.startIndex, by: 0x60)
        case 0x5b:
            let end = rest.firstIndex(of: 0x5d).map { $0 + 1 } ?? rest.endIndex
            return take(.quoted, to: end)
        case 0x58 where second == 0x27, 0x78 where second == 0x27:
            return takeQuoted(.blob, from: rest.startIndex + 1, by: 0x27)
        case 0x30...0x39: return take(.number, while: Self.isNumber)
        case 0x2e where second.map { (0x30...0x39).contains($0) } ?? false:
            return take(.number, while: Self.isNumber)
        case 0x3f, 0x3a, 0x40, 0x24, 0x23:
            let start = rest.startIndex + 1
            var end = start
            while end < rest.endIndex, Self.isWord(rest[end]) || rest[end] == 0x3a { end += 1 }
            return take(.variable, to: end)
        case let byte where Self.isWord(byte): return take(.word, while: Self.isWord)
        default: return take(.punctuation, to: rest.startIndex + 1)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x24, 0x80...: true
        default: false
        }
    }

    /// Returns whether a byte may belong to a number: a digit, a point, or a letter in an exponent
    /// or a hexadecimal number.
    ///
    /// A sign in an exponent ends the token. The digits after the sign are a new number, which is
    /// also masked.
    private static func isNumber(_ byte: UInt8) -> Bool { isWord(byte) || byte == 0x2e }

    private mutating func take(_ kind: Kind, while isPart: (UInt8) -> Bool) -> Token {
        take(kind, to: rest.firstIndex { !isPart($0) } ?? rest.endIndex)
    }

    private mutating func take(_ kind: Kind, to end: Int) -> Token {
        defer { rest = rest[end...] }
        return Token(kind: kind, bytes: rest[..<end])
    }

    /// Reads a quoted token, in which a doubled quote is part of the text.
    private mutating func takeQuoted(_ kind: Kind, from start: Int, by quote: UInt8) -> Token {
        var end = start + 1
        while end < rest.endIndex {
            if rest[end] == quote {
                guard end + 1 < rest.endIndex, rest[end + 1] == quote else {
                    return take(kind, to: end + 1)
                }
                end += 1
            }
            end += 1
        }
        return take(kind, to: rest.endIndex)
    }
}
