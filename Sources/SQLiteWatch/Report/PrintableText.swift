import Units

/// A type that escapes text from other programs to prevent terminals from interpreting control
/// characters.
public enum PrintableText {
    /// Replaces control characters and invisible formatting characters with `\u{…}`.
    public static func escaped(_ text: String) -> String {
        VisibleText.escaped(text)
    }

    /// Escapes each line of text, preserving newlines.
    package static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { escaped(String($0)) }.joined(separator: "\n")
    }

    /// Replaces the same characters in JSON text with `\uXXXX` without changing the JSON value.
    ///
    /// Encoders escape only the control characters below U+0020. The other characters can occur
    /// only in JSON strings.
    package static func escaped(json: String, keepingNewlines: Bool) -> String {
        // Most JSON text contains none of the bytes that start these characters in UTF-8.
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
            if VisibleText.isUnsafe(scalar), !(keepingNewlines && scalar == "\n") {
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
}
