/// A character set for charts, which the terminal's font and encoding must support.
package enum GlyphSet: String, Sendable, CaseIterable {
    /// Braille dots for charts, with 2 × 4 dots in each cell, and Unicode borders and blocks.
    case braille
    /// Block elements with eight levels for each cell, for fonts without braille characters.
    case block
    case ascii

    package struct Border: Sendable {
        package var horizontal: String
        package var vertical: String
        /// The corners in the order top left, top right, bottom left, bottom right.
        package var corners: (String, String, String, String)
    }

    package var border: Border {
        self == .ascii
            ? Border(horizontal: "-", vertical: "|", corners: ("+", "+", "+", "+"))
            : Border(horizontal: "─", vertical: "│", corners: ("╭", "╮", "╰", "╯"))
    }

    /// The number of chart columns in one cell.
    package var dotsAcross: Int { self == .braille ? 2 : 1 }

    /// The number of chart levels in one cell.
    package var dotsDown: Int {
        switch self {
        case .braille: 4
        case .block: 8
        case .ascii: 2
        }
    }

    /// The characters for a filled and an empty cell of a meter.
    package var meter: (filled: String, empty: String) {
        self == .ascii ? ("#", ".") : ("■", "·")
    }

    package var referenceLine: String { self == .ascii ? "-" : "╌" }

    package var axis: String { self == .ascii ? "|" : "┤" }

    /// The lower block elements from zero to eight eighths.
    static let eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// ASCII characters of increasing weight, indexed from 0 to 8.
    static let asciiWeights = [" ", ".", ".", ":", "-", "=", "+", "*", "#"]

    /// The 256 braille patterns, indexed by their bits.
    static let brailleCells: [String] = (0..<256).map { bits in
        Unicode.Scalar(0x2800 + UInt32(bits)).map { String($0) } ?? " "
    }

    /// The bit for each braille dot, indexed by column (0, 1) and by row from the top (0…3).
    static let brailleBits: [[Int]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
}
