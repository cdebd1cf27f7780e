import TestSupport
import Testing
import Yams

@testable import Capture

/// Tests quoting of strings that YAML could misinterpret.
struct YAMLTextTests {
    static let hostile =
        [
            "", " ", "'", "''", "\"", "\\", "a: b", "- a", "# a", "a # b", "{a: b}", "[a]", "&a",
            "*a",
            "!a", "|", ">", "%a", "@a", "`a", "null", "~", "true", "yes", "1", "1.5", "0x1F", "1e3",
            "a\nb", "a\r\nb", "\n", "a\tb", "\u{0}", "\u{7}", "\u{1b}[31m", "\u{7f}", "\u{85}",
            "\u{a0}",
            "\u{2028}", "\u{2029}", "a\u{feff}b", "\u{fffd}", "\u{1F600}", "ünïcödé", "漢字",
            "e\u{301}",
            "' }\nguard: off\n#", "\"}\narms: {}", "SELECT 'it''s' FROM \"a\\\"b\" -- x\n", "---",
            "...",
            "SELECT ':p' || char(10) -- '}]", "\u{200f}abc", "a'b'c", "'; DROP TABLE users; --",
            String(repeating: "long ", count: 500),
        ] + HostileStrings.all

    @Test(arguments: hostile.filter(HostileStrings.isReadableByFoundation))
    func aQuotedTextIsReadBackUnchanged(text: String) throws {
        for yaml in [
            "key: \(YAMLText.quoted(text))", "key: {a: \(YAMLText.quoted(text)), b: 1}",
            "key: [\(YAMLText.quoted(text)), 2]",
        ] {
            let node = try #require(try Yams.compose(yaml: yaml)?["key"])
            let scalar = node.scalar ?? node.mapping?["a"]?.scalar ?? node.sequence?.first?.scalar
            #expect(scalar.map { Array($0.string.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    /// YAML limits implicit keys to 1,024 characters.
    @Test(
        arguments: hostile.filter { $0.count < 1000 }.filter(HostileStrings.isReadableByFoundation)
    )
    func aNameIsReadBackUnchanged(text: String) throws {
        let node = try #require(try Yams.compose(yaml: "{\(YAMLText.name(text)): 1}"))
        let key = try #require(node.mapping?.first?.key.scalar)
        #expect(Array(key.string.unicodeScalars) == Array(text.unicodeScalars))
        #expect(key.tag == Tag(.str) || key.style != .plain)
    }

    @Test(arguments: hostile)
    func aCommentStaysOnOneLine(text: String) throws {
        let yaml = "a: 1 \(YAMLText.comment(text))\nb: 2"
        let node = try #require(try Yams.compose(yaml: yaml))
        #expect(node.mapping?.count == 2)
    }
}
