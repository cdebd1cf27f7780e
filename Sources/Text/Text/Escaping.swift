/// A type that escapes text for the formats that the program writes.
///
/// Names and messages come from scenarios, databases, and other programs, so they can contain
/// markup and control characters. All functions compare scalars, because a delimiter and a following
/// combining character form one `Character`.
package enum Escaping {
    // MARK: Terminals

    /// Replaces the characters that a terminal or an editor would interpret with `\u{…}`.
    package static func terminal(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return replacing(in: text) { isUnsafe($0) ? "\\u{\(String($0.value, radix: 16))}" : nil }
    }

    /// Escapes each line of text for terminals, preserving newlines.
    package static func terminalLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { terminal(String($0)) }.joined(separator: "\n")
    }

    /// Returns whether a scalar is a control character, a line or paragraph separator, or an
    /// invisible formatting character.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
            true
        default: false
        }
    }

    // MARK: JSON

    /// Returns text as a JSON string in quotes (RFC 8259).
    package static func jsonString(_ text: String) -> String {
        var json: [UInt8] = []
        appendJSONString(text, to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    /// Appends text to JSON in UTF-8 as a string in quotes.
    package static func appendJSONString(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                json.append(UInt8(ascii: "\\"))
                json.append(byte)
            case UInt8(ascii: "\n"): json += "\\n".utf8
            case UInt8(ascii: "\t"): json += "\\t".utf8
            case 0..<0x20, 0x7f: json += utf16Escape(of: Unicode.Scalar(byte)).utf8
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    /// Replaces the characters in encoded JSON that a terminal would interpret with `\uXXXX`, without
    /// changing the JSON value.
    ///
    /// Encoders escape only the control characters below U+0020. The other characters can occur
    /// only in JSON strings.
    package static func encodedJSON(_ json: String, keepingNewlines: Bool) -> String {
        // Most JSON text contains none of the bytes that start these characters in UTF-8.
        let mayBeUnsafe = json.utf8.contains { byte in
            switch byte {
            case 0x0a: !keepingNewlines
            case 0..<0x20, 0x7f, 0xc2, 0xd8, 0xe2, 0xef, 0xf3: true
            default: false
            }
        }
        guard mayBeUnsafe else { return json }
        return replacing(in: json) { scalar in
            isUnsafe(scalar) && !(keepingNewlines && scalar == "\n")
                ? utf16Escape(of: scalar) : nil
        }
    }

    /// Replaces the characters in encoded JSON that could end an HTML `script` element, or that
    /// change the direction of text, with `\uXXXX`.
    ///
    /// HTML does not unescape the contents of a script
    /// (<https://html.spec.whatwg.org/#restrictions-for-contents-of-script-elements>).
    package static func scriptJSON(_ json: String) -> String {
        replacing(in: json) { scalar in
            switch scalar.value {
            case 0x3c, 0x3e, 0x26, 0x7f...0x9f, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069:
                utf16Escape(of: scalar)
            default: nil
            }
        }
    }

    // MARK: Markup

    /// Escapes text for HTML elements and quoted attributes.
    ///
    /// Control characters become visible symbols (U+2400 and following), because they can affect
    /// a terminal when pasted. Characters that change the direction of text become U+FFFD.
    package static func html(_ text: some StringProtocol) -> String {
        replacing(in: text) { scalar in
            switch scalar.value {
            case 0x27: "&#39;"
            case 0x60: "&#96;"
            case 0x09, 0x0a: nil
            case 0x0d: ""
            case 0x80...0x9f, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0xfffe, 0xffff:
                replacement
            default: entity(scalar) ?? controlPicture(scalar)
            }
        }
    }

    /// Escapes text for elements and quoted attributes of XML 1.0, such as SVG and JUnit reports.
    ///
    /// XML cannot represent most control characters (<https://www.w3.org/TR/xml/#charsets>). They
    /// become U+FFFD.
    package static func xml(_ text: String) -> String {
        replacing(in: text) { scalar in
            switch scalar {
            case "\n": "&#10;"
            case "\t": "&#9;"
            case "\0"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}"..."\u{ffff}": replacement
            default: entity(scalar)
            }
        }
    }

    /// Escapes one line of text for Markdown (<https://github.github.com/gfm/>), so that it contains
    /// no markup, HTML, table cells, or control characters.
    ///
    /// A line feed becomes a space, because it would end a list entry or a row of a table. Other
    /// control characters become visible symbols (U+2400 and following). Characters that change
    /// the direction of text become U+FFFD.
    package static func markdown(_ text: String) -> String {
        replacing(in: text) { scalar in
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "#", "&", "~": "\\" + String(scalar)
            case "\n", "\t": " "
            case "\r": ""
            case "\u{80}"..."\u{9f}", "\u{2028}", "\u{2029}": replacement
            // A soft hyphen is harmless. Other characters without a width can hide or imitate text.
            case _ where scalar != "\u{ad}" && scalar.properties.generalCategory == .format:
                replacement
            default: controlPicture(scalar)
            }
        }
    }

    /// Escapes a line of a manual page, in which a leading period or apostrophe starts a request.
    package static func troff(_ text: String) -> String {
        let escaped = replacing(in: text) { $0 == "\\" ? "\\e" : $0 == "-" ? "\\-" : nil }
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    // MARK: Data

    /// Returns a cell of CSV, in quotes if necessary (RFC 4180).
    ///
    /// Cells contain the text unchanged. Spreadsheets interpret text that begins with `=`, `+`, `-`,
    /// or `@` as a formula. A prefix that prevents this would change names and negative numbers for
    /// all other programs.
    package static func csvCell(_ text: String) -> String {
        let needsQuotes = text.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        return needsQuotes ? "\"" + replacing(in: text) { $0 == "\"" ? "\"\"" : nil } + "\"" : text
    }

    /// Escapes text for a workflow command of GitHub Actions, whose properties are separated by commas.
    package static func annotation(_ text: String, isProperty: Bool) -> String {
        replacing(in: text) { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            case ":" where isProperty: "%3A"
            case "," where isProperty: "%2C"
            default: nil
            }
        }
    }

    /// Escapes the value of a label in Prometheus's text format
    /// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
    package static func metricLabel(_ text: String) -> String {
        replacing(in: text) { scalar in
            switch scalar {
            case "\\", "\"": "\\" + String(scalar)
            case "\n": "\\n"
            default: nil
            }
        }
    }

    /// Returns text as a quoted YAML scalar that parsers convert back to the same text.
    ///
    /// The result is in single quotes if the text is one line of printable characters, which keeps
    /// SQL readable.
    package static func yaml(_ text: String) -> String {
        guard text.unicodeScalars.allSatisfy(isPrintable) else { return yamlDoubleQuoted(text) }
        return "'" + replacing(in: text) { $0 == "'" ? "''" : nil } + "'"
    }

    /// Returns text as a YAML scalar in double quotes
    /// (<https://yaml.org/spec/1.2.2/#73-flow-scalar-styles>).
    package static func yamlDoubleQuoted(_ text: String) -> String {
        let escaped = replacing(in: text) { scalar in
            switch scalar {
            case "\"", "\\": "\\" + String(scalar)
            case "\n": "\\n"
            case "\t": "\\t"
            case _ where isPrintable(scalar): nil
            case _ where scalar.value <= 0xff: "\\x" + hexadecimal(scalar.value, digits: 2)
            case _ where scalar.value <= 0xffff: "\\u" + hexadecimal(scalar.value, digits: 4)
            default: "\\U" + hexadecimal(scalar.value, digits: 8)
            }
        }
        return "\"\(escaped)\""
    }

    /// Returns a name as a plain YAML scalar if YAML interprets it as a string, or in quotes
    /// otherwise.
    package static func yamlName(_ text: String) -> String {
        let isWord =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || $0 == "_" || $0 == "-"
                    || ("0"..."9").contains($0)
            }
        let reserved: Set = ["y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan"]
        let startsWithLetter = text.unicodeScalars.first?.properties.isAlphabetic == true
        return isWord && startsWithLetter && !reserved.contains(text.lowercased())
            ? text : yaml(text)
    }

    /// Returns text as a YAML comment of one line.
    ///
    /// Characters that could end the comment become spaces.
    package static func yamlComment(_ text: String) -> String {
        "# " + replacing(in: text) { isPrintable($0) ? nil : " " }
    }

    // MARK: Characters

    private static let replacement = "\u{fffd}"

    /// Returns text in which scalars are replaced, except those for which `escape` returns `nil`.
    private static func replacing(
        in text: some StringProtocol,
        _ escape: (Unicode.Scalar) -> String?
    ) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if let escaped = escape(scalar) {
                result += escaped
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: nil
        }
    }

    /// Returns the symbol for an ASCII control character, or `nil` for other characters.
    private static func controlPicture(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value).map { String($0) }
        case 0x7f: "\u{2421}"
        default: nil
        }
    }

    /// Returns whether a character can appear in quoted YAML without an escape because it is not a
    /// line break, a control character, or a formatting character.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
            .format:
            false
        case .spaceSeparator: scalar == " "
        default: scalar.value <= 0xffff
        }
    }

    private static func utf16Escape(of scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { "\\u" + hexadecimal(UInt32($0), digits: 4) }.joined()
    }

    private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
