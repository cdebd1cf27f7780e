import CSQLite
import SQLText
import TestSupport
import Testing

/// Compares the lexer with SQLite's tokenizer.
///
/// The grammar permits nothing after `RELEASE [x]` but a semicolon, so the error of preparing it with
/// the rest of a text contains the rest's first token.
struct SQLLexerTests {
    private final class Connection {
        private var handle: OpaquePointer?

        init() { sqlite3_open(":memory:", &handle) }

        deinit { sqlite3_close(handle) }

        /// Returns SQLite's first token of a text, and whether SQLite accepts the token.
        ///
        /// The result is `nil` if the text is empty or begins with a semicolon.
        func firstToken(of text: String) -> (text: String, isValid: Bool)? {
            var statement: OpaquePointer?
            let code = sqlite3_prepare_v2(handle, "RELEASE [x]" + text, -1, &statement, nil)
            sqlite3_finalize(statement)
            guard code != SQLITE_OK else { return nil }
            // A combining character after a quote belongs to the quote's `Character`.
            let message = Array(String(cString: sqlite3_errmsg(handle)).utf8)
            for (prefix, suffix, isValid) in [
                ("near \"", "\": syntax error", true), ("unrecognized token: \"", "\"", false),
            ]
            where message.starts(with: prefix.utf8)
                && message.reversed().starts(with: suffix.utf8.reversed())
            {
                let token = message.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
                return (String(decoding: token, as: UTF8.self), isValid)
            }
            return (String(decoding: message, as: UTF8.self), false)
        }
    }

    private let connection = Connection()

    /// Whether versions of SQLite read a token differently: before 3.46, a hexadecimal number ends
    /// before other letters, and digits cannot be separated.
    private static func dependsOnVersion(_ token: SQLToken) -> Bool {
        token.kind == .number
            && (token.text.contains("_")
                || !token.isValid && token.text.lowercased().hasPrefix("0x"))
    }

    private func compare(_ text: String) {
        for token in SQLToken.significant(in: text) {
            let rest = String(decoding: Array(text.utf8)[token.range.lowerBound...], as: UTF8.self)
            let expected = connection.firstToken(of: rest)
            if token.isSymbol(";") {
                #expect(expected == nil, "\(text.debugDescription): \(token.text)")
                continue
            }
            guard !Self.dependsOnVersion(token) else { continue }
            #expect(expected?.text == token.text, "\(text.debugDescription)")
            #expect(expected?.isValid == token.isValid, "\(text.debugDescription): \(token.text)")
        }
    }

    @Test(arguments: [
        "a >= 1 AND b<=2 OR c<>3 OR d!=4 OR e==5 OR f=6", "a||b|c << 1 >> 2 & ~d",
        "a -> '$' ->> 'b'",
        "1 1.5 .5 5. 1e5 1e+5 1.e-5 1e 1e+ 0x1F 0x 0xg 12abc 1.2.3 1..2 1_000 1__0 1_",
        "x'0a' X'' x'0' x'zz' x'0a x", "'it''s' 'open", "\"a\"\"b\" \"open", "`a``b` `open",
        "[a b] [] [open", "? ?1 ?1a :a @a $a #a #1 $a::b $a::b(c d) $a(b) $a(b c ::a : @ $ #",
        "a::text $a:: :::a", "/* c */ a /* open", "a -- c\nb --", "/", "/*", "/*/",
        "/**/ a /*/*/ b",
        "a\u{0B}b \u{0B}c \t\u{0B}d", "\u{FEFF}a b\u{FEFF}c", "é 名前 a\u{301} '\u{301}' \"é\"",
        "{ } \\ ^ !",
        "a.b.c (a,b);c", "select_ _a $a a$b", "- -- x", "->", "->>", "- >", "<", "<=>", "=>", "!",
        "x 'a' x\"b\"", "\u{7F} \u{01} \u{80}",
    ])
    func aTokenIsSQLitesToken(text: String) { compare(text) }

    @Test func hostileStringsAreReadAsSQLiteReadsThem() {
        for text in HostileStrings.all { compare(text) }
    }

    @Test func randomTextIsReadAsSQLiteReadsIt() {
        var random = SeededRandom(seed: 15)
        let pieces = [
            "'", "\"", "`", "[", "]", "(", ")", ";", "-", "/", "*", "x", "X", "0", "1", "9", "e",
            "E",
            "+", ".", "?", ":", "@", "$", "#", " ", "\n", "\t", "\u{0B}", "\u{0C}", "_", "é", "a",
            "f",
            "0x", "x'", "::", "--", "/*", "*/", "->", ">", "<", "=", "!", "|", "&", "~", "%", ",",
            "{",
            "^", "\\", "BEGIN", "IN", "\u{FEFF}",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &random)
            compare((0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
        }
    }

    @Test(arguments: ["a 'b' -- c\n/* d */ [e", "", " ", "\u{FEFF}select\u{0B}1"])
    func theTokensContainTheWholeText(text: String) {
        #expect(SQLToken.all(in: text).map(\.text).joined() == text)
    }

    @Test func aNULCharacterEndsTheText() {
        #expect(SQLToken.all(in: "a\0b").map(\.text) == ["a"])
        #expect(SQLToken.all(in: "'a\0b'").map(\.isValid) == [false])
    }

    @Test(arguments: [
        ("'it''s'", "it's"), ("\"a\"\"b\"", "a\"b"), ("`a``b`", "a`b"), ("[a]]", "a"),
        ("[a\"b]", "a\"b"),
        ("'open", "open"), ("''", ""), ("''''", "'"), ("word", "word"), ("'\u{301}a'", "\u{301}a"),
    ])
    func quotesAreRemoved(text: String, expected: String) {
        #expect(SQLToken.all(in: text).first?.unquoted == expected)
    }

    @Test func tokensKnowWhetherTheyFollowSpace() {
        let tokens = SQLToken.significant(in: "a+ b/**/c")
        #expect(tokens.map(\.followsSpace) == [true, false, true, true])
    }
}
