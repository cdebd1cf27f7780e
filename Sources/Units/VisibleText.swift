/// An escaper for characters that a terminal or an editor would interpret instead of displaying.
package enum VisibleText {
    /// Replaces control characters and invisible formatting characters with `\u{…}`.
    package static func escaped(_ text: String) -> String {
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
}
