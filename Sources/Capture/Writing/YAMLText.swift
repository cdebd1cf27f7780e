import Telemetry

/// A type that formats strings as YAML scalars that parsers convert back to the same strings.
package enum YAMLText {
    /// Returns a string as a quoted scalar.
    ///
    /// The result is in single quotes if the string is one line of printable characters, which
    /// keeps SQL readable. Otherwise, it is in double quotes with escapes
    /// (<https://yaml.org/spec/1.2.2/#73-flow-scalar-styles>).
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy(isPrintable)
        if isPlain { return text.quoted(by: "'") }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where isPrintable(scalar): result.unicodeScalars.append(scalar)
            case _ where scalar.value <= 0xff: result += "\\x" + hex(scalar.value, digits: 2)
            case _ where scalar.value <= 0xffff: result += "\\u" + hex(scalar.value, digits: 4)
            default: result += "\\U" + hex(scalar.value, digits: 8)
            }
        }
        return result + "\""
    }

    /// Returns a name as a plain scalar if YAML interprets it as a string, or in quotes otherwise.
    static func name(_ text: String) -> String {
        let isWord =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || $0 == "_" || $0 == "-"
                    || ("0"..."9").contains($0)
            }
        let reserved: Set = ["y", "n", "yes", "no", "true", "false", "on", "off", "null", "nan"]
        let startsWithLetter = text.unicodeScalars.first?.properties.isAlphabetic == true
        return isWord && startsWithLetter && !reserved.contains(text.lowercased())
            ? text : quoted(text)
    }

    /// Returns a string as a one-line comment.
    ///
    /// Characters that could end the comment become spaces.
    static func comment(_ text: String) -> String {
        "# "
            + String(
                String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " })
            )
    }

    /// Returns whether a character can appear in quotes without an escape because it is not a line
    /// break, a control character, or a formatting character.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
            .format:
            false
        case .spaceSeparator: scalar == " "
        default: scalar.value <= 0xffff
        }
    }

    private static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
