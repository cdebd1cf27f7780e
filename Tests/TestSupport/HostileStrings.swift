/// Strings that an output format or a parser could misinterpret.
///
/// The tests of every output use this list for the names of tables, processes, files, arms, and
/// clients, for SQL, and for messages.
package enum HostileStrings {
    /// Control characters and characters that terminals interpret.
    package static let controls = [
        "\u{1B}[31mred\u{1B}[0m", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://a.example\u{7}link",
        "\u{1B}]52;c;YQ==\u{7}", "\u{9B}2J", "\u{85}", "\u{7F}", "a\u{8}b", "a\rb", "a\nb",
        "a\r\nb",
        "a\tb", "a\u{0}b", "PASSED  x\nFAILED",
    ]

    /// Characters that have no width, change the text direction, or start a new line.
    package static let invisible = [
        "\u{202E}txt.exe", "\u{2066}a\u{2069}", "a\u{200B}b", "a\u{200D}b", "\u{FEFF}a", "a\u{AD}b",
        "a\u{2028}b", "a\u{2029}b", "\u{FFFE}", "\u{FFFF}", "\u{E0041}",
    ]

    /// Markup and delimiters.
    ///
    /// Some precede a combining character. Swift treats such a pair as a single `Character`.
    package static let delimiters =
        [
            "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "]]>",
            "&lt;",
            "a&b", "\"", "'", "`", "|", "\\", "a,b", "a;b", "{{}}", ": #", "- a", "=cmd()", "+1",
            "@a",
            "*a*", "_a_", "[a](http://a.example)", "~~a~~", "%s%n", "$(x)", "${x}", "../../x", "--",
            "?",
            "'; DROP TABLE t; --", "\"; DROP TABLE t; --", "]", "[",
        ] + ["<", "\"", "'", "|", "`", ",", "\\", "&", "]", "*"].map { $0 + "\u{301}a" }

    /// Wide characters, combining characters, and blank or long text.
    package static let shapes = [
        "e\u{301}", "\u{301}a", "a" + String(repeating: "\u{301}", count: 100), "漢字",
        "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F1E9}", "ﷺ",
        String(repeating: "long ", count: 2_000), " ", "  a  ",
    ]

    package static let all = controls + invisible + delimiters + shapes

    /// The strings without NUL, which can be SQL names and program arguments.
    package static let withoutNUL = all.filter { !$0.unicodeScalars.contains("\0") }

    /// Returns whether parsers that use Foundation, including Yams, return a string unchanged.
    ///
    /// Foundation removes a leading byte order mark from decoded text, even if it was escaped.
    package static func isReadableByFoundation(_ text: String) -> Bool {
        text.unicodeScalars.first != "\u{FEFF}"
    }

    /// Returns the control and formatting characters that a terminal would interpret.
    package static func unprintableScalars(in text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalar != "\n"
            case .format: scalar != "\u{AD}"
            default: false
            }
        }
    }
}
