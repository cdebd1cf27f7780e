/// Escapes text from other programs so that terminals do not interpret it.
public enum PrintableText {
    /// Replaces control characters, and characters that change the direction of text, with
    /// `\u{…}`.
    public static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                escaped += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Escapes each line of text and keeps its newlines.
    package static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { escaped(String($0)) }.joined(separator: "\n")
    }

    /// Replaces the same characters in JSON text with `\uXXXX`, which denotes the same string.
    ///
    /// Encoders escape only the control characters below U+0020. In JSON text, the other characters
    /// to replace can only be part of a string.
    static func escaped(json: String, keepingNewlines: Bool) -> String {
        // Most JSON text contains none of the bytes that start such characters in UTF-8.
        let mayBeUnsafe = json.utf8.contains { byte in
            switch byte {
            case 0x0a: !keepingNewlines
            case 0..<0x20, 0x7f, 0xc2, 0xd8, 0xe2, 0xef, 0xf3: true
            default: false
            }
        }
        guard mayBeUnsafe else { return json }
        var escaped = ""
        for scalar in json.unicodeScalars {
            if isUnsafe(scalar), !(keepingNewlines && scalar == "\n") {
                let units = String(scalar).utf16.map { unit in
                    let digits = String(unit, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
                escaped += units.joined()
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns whether a character is a C0 or C1 control, a line or paragraph separator, or a
    /// directional mark or override.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff, 0xfff9...0xfffb, 0xe0000...0xe007f:
            true
        default: false
        }
    }
}
