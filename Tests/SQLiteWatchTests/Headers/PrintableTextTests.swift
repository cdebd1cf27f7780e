import Foundation
import Testing

@testable import SQLiteWatch

struct PrintableTextTests {
    @Test func controlCharactersAreEscaped() {
        #expect(PrintableText.escaped("a\u{1b}[31m\n") == "a\\u{1b}[31m\\u{a}")
        #expect(PrintableText.escaped("\u{9b}2J\u{202e}x") == "\\u{9b}2J\\u{202e}x")
        #expect(PrintableText.escaped("naïve ☃ 𝄞") == "naïve ☃ 𝄞")
    }

    @Test func escapedJSONKeepsItsValue() throws {
        let name = "a\u{7f}\u{9b}\u{2028}\u{1b}\"\\ é"
        let json = String(decoding: try JSONEncoder().encode([name]), as: UTF8.self)
        let escaped = PrintableText.escaped(json: json, keepingNewlines: false)
        #expect(!escaped.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f) ~= $0.value })
        #expect(try JSONDecoder().decode([String].self, from: Data(escaped.utf8)) == [name])
    }
}
