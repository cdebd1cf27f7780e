import Foundation
import TestSupport
import Testing
import Yams

@testable import Text

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Tests the escaping of hostile text for each output format.
struct EscapingTests {
    // MARK: Terminals

    @Test func terminalControlsAreEscaped() {
        #expect(Escaping.terminal("a\u{1b}[31m\n") == "a\\u{1b}[31m\\u{a}")
        #expect(Escaping.terminal("\u{9b}2J\u{202e}x") == "\\u{9b}2J\\u{202e}x")
        #expect(Escaping.terminal("naïve ☃ 𝄞") == "naïve ☃ 𝄞")
        #expect(Escaping.terminalLines("a\rb\n\u{1b}") == "a\\u{d}b\n\\u{1b}")
    }

    @Test(arguments: HostileStrings.all)
    func onlyPrintableTextReachesATerminal(text: String) {
        let outputs = [
            Escaping.terminal(text), Escaping.terminalLines(text), Escaping.markdown(text),
            Escaping.yaml(text), Escaping.yamlDoubleQuoted(text), Escaping.yamlComment(text),
        ]
        for output in outputs { #expect(HostileStrings.unprintableScalars(in: output) == []) }
    }

    // MARK: JSON

    @Test(arguments: HostileStrings.all)
    func aJSONStringKeepsItsValue(text: String) throws {
        let string = Escaping.jsonString(text)
        let printable = Escaping.encodedJSON(string, keepingNewlines: false)
        #expect(HostileStrings.unprintableScalars(in: printable) == [])
        let script = Escaping.scriptJSON(string)
        #expect(!script.contains { "<>&".contains($0) })
        for json in [string, printable, script] {
            let values = try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8))
            #expect(values.map { Array($0.unicodeScalars) } == [Array(text.unicodeScalars)])
        }
    }

    @Test func newlinesOfIndentedJSONRemain() {
        #expect(
            Escaping.encodedJSON("{\n\"a\": \"\u{9b}\"}", keepingNewlines: true)
                == "{\n\"a\": \"\\u009b\"}"
        )
        #expect(
            Escaping.encodedJSON("\"\u{E0041}\"", keepingNewlines: false) == "\"\\udb40\\udc41\""
        )
    }

    // MARK: Markup

    @Test func controlCharactersInHTMLBecomeVisibleSymbols() {
        #expect(Escaping.html("\u{1B}[2J\u{0}\u{7F}") == "\u{241B}[2J\u{2400}\u{2421}")
        #expect(Escaping.html("a\u{9B}b\u{202E}c\u{2066}d") == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d")
        #expect(Escaping.html("one\r\n\ttwo") == "one\n\ttwo")
    }

    @Test func aCombinedCharacterDoesNotHideMarkup() {
        // An angle bracket with a combining mark is one character, but it still starts a tag.
        #expect(Escaping.html("<\u{301}script>") == "&lt;\u{301}script&gt;")
        #expect(Escaping.html("\"\u{FE0F}") == "&quot;\u{FE0F}")
        #expect(Escaping.xml("<\u{301}a>") == "&lt;\u{301}a&gt;")
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func noTextAddsElementsOrAttributesToHTML() throws {
        let pages = try IndependentParser.html(
            HostileStrings.all.map { "<p title=\"\(Escaping.html($0))\">\(Escaping.html($0))</p>" }
        )
        #expect(pages.allSatisfy { $0.tags == ["p"] && $0.attributes == ["title"] })
    }

    @Test(arguments: HostileStrings.all.filter(HostileStrings.isReadableByFoundation))
    func xmlReadsTheTextBack(text: String) throws {
        let document = "<a b=\"\(Escaping.xml(text))\">\(Escaping.xml(text))</a>"
        let expected = String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
                switch scalar.value {
                case 0x09, 0x0A: scalar
                case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: "\u{FFFD}"
                default: scalar
                }
            }
        )
        let element = try #require(try XMLDocument(xmlString: document).rootElement())
        #expect(element.attribute(forName: "b")?.stringValue == String(expected))
        #expect(element.childCount <= 1 && element.stringValue == String(expected))
    }

    @Test func markdownContainsNoMarkup() {
        #expect(
            Escaping.markdown("a|b\n*c* <d> [e](f) `g`\u{1b}\u{200b}\r")
                == "a\\|b \\*c\\* \\<d\\> \\[e\\](f) \\`g\\`\u{241b}\u{fffd}"
        )
    }

    @Test func aManualPageContainsNoRequests() {
        #expect(Escaping.troff(".SH a-b\\") == "\\&.SH a\\-b\\e")
        #expect(Escaping.troff("'a") == "\\&'a")
    }

    // MARK: Data

    @Test(.enabled(if: IndependentParser.isAvailable))
    func csvReadsTheCellsBack() throws {
        let rows = HostileStrings.withoutNUL.map { [$0, "b"] }
        let documents = rows.map { $0.map(Escaping.csvCell).joined(separator: ",") + "\r\n" }
        #expect(try IndependentParser.csv(documents) == rows.map { [$0] })
    }

    @Test(.enabled(if: IndependentParser.isAvailable))
    func metricsReadTheLabelsBack() throws {
        let documents = HostileStrings.all.map { "m{a=\"\(Escaping.metricLabel($0))\"} 1\n" }
        #expect(try IndependentParser.metrics(documents) == HostileStrings.all.map { [["a": $0]] })
    }

    private static let hostileYAML =
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

    @Test(arguments: hostileYAML.filter(HostileStrings.isReadableByFoundation))
    func yamlReadsAQuotedTextBack(text: String) throws {
        for quoted in [Escaping.yaml(text), Escaping.yamlDoubleQuoted(text)] {
            for yaml in ["key: \(quoted)", "key: {a: \(quoted), b: 1}", "key: [\(quoted), 2]"] {
                let node = try #require(try Yams.compose(yaml: yaml)?["key"])
                let scalar =
                    node.scalar ?? node.mapping?["a"]?.scalar ?? node.sequence?.first?.scalar
                #expect(
                    scalar.map { Array($0.string.unicodeScalars) } == Array(text.unicodeScalars)
                )
            }
        }
    }

    /// YAML limits implicit keys to 1,024 characters.
    @Test(
        arguments: hostileYAML.filter { $0.count < 1000 }
            .filter(HostileStrings.isReadableByFoundation)
    )
    func yamlReadsANameBack(text: String) throws {
        let node = try #require(try Yams.compose(yaml: "{\(Escaping.yamlName(text)): 1}"))
        let key = try #require(node.mapping?.first?.key.scalar)
        #expect(Array(key.string.unicodeScalars) == Array(text.unicodeScalars))
        #expect(key.tag == Tag(.str) || key.style != .plain)
    }

    @Test(arguments: hostileYAML)
    func aYAMLCommentStaysOnOneLine(text: String) throws {
        let yaml = "a: 1 \(Escaping.yamlComment(text))\nb: 2"
        let node = try #require(try Yams.compose(yaml: yaml))
        #expect(node.mapping?.count == 2)
    }
}
