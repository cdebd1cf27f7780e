/// A converter from text to cells that removes or replaces characters a terminal would interpret.
///
/// External text (SQL, labels, messages) is always converted before it is stored in cells:
/// - Control characters become visible symbols (`␛`, or `^[` in ASCII).
/// - Format characters (bidirectional overrides, joiners, variation selectors) are removed.
/// - A grapheme cluster is reduced to its base and at most four marks, the limit of ncurses. The
///   text of a cell is therefore always one or two columns wide.
package enum CellText {
    static let ascii: [String] = (0..<128).map { String(Unicode.Scalar(UInt8($0))) }

    /// Returns the width of text in columns.
    ///
    /// If `isASCII` is `true`, the text is shown in ASCII. For example, `^[` replaces `␛`.
    package static func width(of text: String, isASCII: Bool = false) -> Int {
        if isPlain(text) { return text.utf8.count }
        if !isASCII, isSimple(text) { return text.unicodeScalars.count }
        var total = 0
        forEachCell(of: text, isASCII: isASCII) { _, width in
            total += width
            return true
        }
        return total
    }

    /// Calls `body` with the text and width (1 or 2) of each cell until `body` returns `false`.
    @inline(__always)
    static func forEachCell(
        of text: String,
        isASCII: Bool,
        _ body: (String, Int) -> Bool
    ) {
        let ascii = ascii
        if isPlain(text) {
            for byte in text.utf8 where !body(ascii[Int(byte)], 1) { return }
            return
        }
        if !isASCII, isSimple(text) {
            for scalar in text.unicodeScalars {
                let cell = scalar.isASCII ? ascii[Int(scalar.value)] : String(scalar)
                if !body(cell, 1) { return }
            }
            return
        }
        for character in text {
            if let byte = character.asciiValue, byte >= 0x20, byte < 0x7F {
                guard body(ascii[Int(byte)], 1) else { return }
            } else if isASCII {
                for cell in asciiReplacement(of: character) where !body(cell, 1) { return }
            } else if let (cell, width) = visible(character) {
                guard body(cell, width) else { return }
            }
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// Returns whether each scalar of the text occupies a separate one-column cell.
    ///
    /// The ranges contain ASCII and the characters of Poolgauge's own text and charts. None of
    /// these characters is wide, combining, or a format character.
    private static func isSimple(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x20..<0x7F, 0xA1...0xAC, 0xAE...0x17F, 0x2010...0x2027, 0x2190...0x21FF,
                0x2500...0x25FC, 0x2800...0x28FF:
                true
            default: false
            }
        }
    }

    /// Returns the text and width of a character's cell, or `nil` if the character has no width.
    private static func visible(_ character: Character) -> (String, Int)? {
        guard let base = character.unicodeScalars.first else { return nil }
        switch base.properties.generalCategory {
        case .control: return (picture(of: base), 1)
        case .lineSeparator, .paragraphSeparator: return ("\u{2424}", 1)
        case .format: return nil
        case .surrogate, .unassigned: return ("\u{FFFD}", 1)
        default: break
        }
        // Replace a single regional indicator, because its width differs between terminals.
        if (0x1F1E6...0x1F1FF).contains(base.value) { return ("\u{FFFD}", 1) }
        if ScalarWidth.isZeroWidth(base) { return nil }
        let width = ScalarWidth.isWide(base) ? 2 : 1
        var cell = String(base)
        var marks = 0
        for mark in character.unicodeScalars.dropFirst()
        where marks < 4 && ScalarWidth.isZeroWidth(mark) && !mark.properties.isVariationSelector {
            cell.unicodeScalars.append(mark)
            marks += 1
        }
        return (cell, width)
    }

    /// Returns the symbol for a control character, from the Unicode block Control Pictures.
    private static func picture(of control: Unicode.Scalar) -> String {
        switch control.value {
        case 0..<0x20: Unicode.Scalar(0x2400 + control.value).map { String($0) } ?? "\u{FFFD}"
        case 0x7F: "\u{2421}"
        default: "\u{FFFD}"
        }
    }

    private static func asciiReplacement(of character: Character) -> [String] {
        guard let base = character.unicodeScalars.first else { return [] }
        switch base.value {
        case 0..<0x20: return ["^", ascii[Int(base.value) + 0x40]]
        case 0x20..<0x7F: return [ascii[Int(base.value)]]
        case 0x7F: return ["^", "?"]
        default: break
        }
        if let known = asciiEquivalents[base] { return [known] }
        guard let (_, width) = visible(character) else { return [] }
        return Array(repeating: "?", count: width)
    }

    /// The ASCII equivalents of characters in Poolgauge's own text.
    private static let asciiEquivalents: [Unicode.Scalar: String] = [
        "µ": "u", "·": "-", "–": "-", "—": "-", "…": "~", "×": "x", "±": "~", "≥": ">", "≤": "<",
        "←": "<", "→": ">", "↑": "^", "↓": "v", "“": "\"", "”": "\"", "‘": "'", "’": "'",
        "\u{A0}": " ", "▲": "!", "✖": "X", "✔": "+", "●": "*", "‖": "=", "■": "#",
    ]
}
