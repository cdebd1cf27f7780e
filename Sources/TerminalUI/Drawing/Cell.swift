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
