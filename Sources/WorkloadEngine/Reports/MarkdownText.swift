/// A type that escapes text for Markdown (<https://github.github.com/gfm/>).
package enum MarkdownText {
    /// Returns one line of text without markup, HTML, table cells, or control characters.
    ///
    /// A line feed becomes a space, because it would end a list entry or a row of a table. Other
    /// control characters become visible symbols (U+2400 and following). Characters that change
    /// the direction of text become U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = ""
        // A combining character after a marker belongs to the same `Character`.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", ">", "|", "#", "&", "~":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case "\n": result += " "
            case "\r": break
            case "\t": result += " "
            default: result += visible(scalar)
            }
        }
        return result
    }

    private static func visible(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0..<0x20: String(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
        case 0x7F: "\u{2421}"
        case 0x80...0x9F, 0x2028, 0x2029: "\u{FFFD}"
        // A soft hyphen is harmless. Other characters without a width can hide or imitate text.
        case _ where scalar.value != 0xAD && scalar.properties.generalCategory == .format:
            "\u{FFFD}"
        default: String(scalar)
        }
    }
}
