/// A color, which a terminal approximates with its nearest supported color.
package enum Color: Sendable, Hashable {
    /// The terminal's default color.
    case standard
    /// A color in the palette of 16 (0–15) or 256 colors.
    case indexed(UInt8)
    /// Red, green, and blue components, each from 0 to 255.
    case rgb(UInt8, UInt8, UInt8)
}

/// The appearance of a cell.
package struct Style: Sendable, Hashable {
    /// Attributes that do not require color.
    package struct Attributes: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let underline = Attributes(rawValue: 4)
        /// Exchanged foreground and background colors.
        package static let reverse = Attributes(rawValue: 8)
        package static let italic = Attributes(rawValue: 16)
    }

    // Store colors as numbers, because each frame compares thousands of cells.
    private var foregroundCode: UInt32
    private var backgroundCode: UInt32
    package var attributes: Attributes

    /// The color of the character.
    package var foreground: Color {
        get { Color(code: foregroundCode) }
        set { foregroundCode = newValue.code }
    }

    package var background: Color {
        get { Color(code: backgroundCode) }
        set { backgroundCode = newValue.code }
    }

    package init(
        foreground: Color = .standard,
        background: Color = .standard,
        attributes: Attributes = []
    ) {
        foregroundCode = foreground.code
        backgroundCode = background.code
        self.attributes = attributes
    }
}

extension Color {
    /// The color as a number, with the kind of color in the most significant byte.
    fileprivate var code: UInt32 {
        switch self {
        case .standard: 0
        case .indexed(let index): 1 << 24 | UInt32(index)
        case .rgb(let red, let green, let blue):
            2 << 24 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        }
    }

    fileprivate init(code: UInt32) {
        switch code >> 24 {
        case 0: self = .standard
        case 1: self = .indexed(UInt8(truncatingIfNeeded: code))
        default:
            self = .rgb(
                UInt8(truncatingIfNeeded: code >> 16),
                UInt8(truncatingIfNeeded: code >> 8),
                UInt8(truncatingIfNeeded: code)
            )
        }
    }
}

/// One cell of a terminal.
package struct Cell: Sendable, Hashable {
    /// The character with its combining marks, or an empty string in the second cell of a wide
    /// character.
    package var character: String
    package var style: Style

    package init(_ character: String = " ", style: Style = Style()) {
        self.character = character
        self.style = style
    }
}

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

/// The widths of Unicode scalars, in columns.
///
/// The widths are similar to the results of `wcwidth`, but identical on all platforms. The wide
/// ranges contain the scalars with an East_Asian_Width of W or F in Unicode 16
/// (EastAsianWidth.txt). Ranges separated only by unassigned scalars are merged.
enum ScalarWidth {
    /// The first and last scalar of each wide range, in ascending order.
    private static let wide: [(first: UInt32, last: UInt32)] = [
        (0x1100, 0x115F), (0x231A, 0x231B), (0x2329, 0x232A), (0x23E9, 0x23EC),
        (0x23F0, 0x23F0), (0x23F3, 0x23F3), (0x25FD, 0x25FE), (0x2614, 0x2615),
        (0x2630, 0x2637), (0x2648, 0x2653), (0x267F, 0x267F), (0x268A, 0x268F),
        (0x2693, 0x2693), (0x26A1, 0x26A1), (0x26AA, 0x26AB), (0x26BD, 0x26BE),
        (0x26C4, 0x26C5), (0x26CE, 0x26CE), (0x26D4, 0x26D4), (0x26EA, 0x26EA),
        (0x26F2, 0x26F3), (0x26F5, 0x26F5), (0x26FA, 0x26FA), (0x26FD, 0x26FD),
        (0x2705, 0x2705), (0x270A, 0x270B), (0x2728, 0x2728), (0x274C, 0x274C),
        (0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757), (0x2795, 0x2797),
        (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50),
        (0x2B55, 0x2B55), (0x2E80, 0x303E), (0x3041, 0x4DBF), (0x4DC0, 0xA4CF),
        (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE10, 0xFE19),
        (0xFE30, 0xFE6F), (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x16FE0, 0x18DFF),
        (0x1AFF0, 0x1B2FF), (0x1D300, 0x1D37F), (0x1F004, 0x1F004), (0x1F0CF, 0x1F0CF),
        (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F200, 0x1F265), (0x1F300, 0x1F320),
        (0x1F32D, 0x1F335), (0x1F337, 0x1F37C), (0x1F37E, 0x1F393), (0x1F3A0, 0x1F3CA),
        (0x1F3CF, 0x1F3D3), (0x1F3E0, 0x1F3F0), (0x1F3F4, 0x1F3F4), (0x1F3F8, 0x1F43E),
        (0x1F440, 0x1F440), (0x1F442, 0x1F4FC), (0x1F4FF, 0x1F53D), (0x1F54B, 0x1F54E),
        (0x1F550, 0x1F567), (0x1F57A, 0x1F57A), (0x1F595, 0x1F596), (0x1F5A4, 0x1F5A4),
        (0x1F5FB, 0x1F64F), (0x1F680, 0x1F6C5), (0x1F6CC, 0x1F6CC), (0x1F6D0, 0x1F6D2),
        (0x1F6D5, 0x1F6DF), (0x1F6EB, 0x1F6EC), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7F0),
        (0x1F90C, 0x1F93A), (0x1F93C, 0x1F945), (0x1F947, 0x1F9FF), (0x1FA70, 0x1FAFF),
        (0x20000, 0x3FFFD),
    ]

    /// Returns whether a terminal draws the scalar over the previous cell.
    static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x300 { return false }
        // Terminals draw Hangul vowels and final consonants over the preceding initial consonant.
        if (0x1160...0x11FF).contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x1100 { return false }
        var low = 0
        var high = wide.count
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].last < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].first <= scalar.value
    }
}

package enum TextWrapping {
    /// Breaks text into lines of at most `width` columns.
    ///
    /// A word that exceeds this width occupies a separate line, which is truncated when drawn.
    package static func lines(of text: String, width: Int) -> [String] {
        guard width > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var lineWidth = 0
        for word in text.split(separator: " ") {
            let wordWidth = CellText.width(of: String(word))
            if line.isEmpty {
                line = String(word)
                lineWidth = wordWidth
            } else if lineWidth + 1 + wordWidth <= width {
                line += " " + word
                lineWidth += 1 + wordWidth
            } else {
                lines.append(line)
                line = String(word)
                lineWidth = wordWidth
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
