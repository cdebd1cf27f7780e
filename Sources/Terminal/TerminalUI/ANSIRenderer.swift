extension Surface {
    /// The surface as text with SGR escape sequences (ECMA-48), for display with `cat`.
    ///
    /// The theme provides the colors. Each line ends with a reset sequence.
    package var ansiText: String {
        var text = ""
        for y in 0..<size.height {
            var current: Style?
            for x in 0..<size.width {
                let cell = self[x, y]
                guard !cell.character.isEmpty else { continue }
                if cell.style != current {
                    text += cell.style.selectGraphicRendition
                    current = cell.style
                }
                text += cell.character
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }
}

extension Style {
    /// The sequence that resets the terminal's attributes and then sets this style's attributes.
    fileprivate var selectGraphicRendition: String {
        var codes = "0"
        if attributes.contains(.bold) { codes += ";1" }
        if attributes.contains(.dim) { codes += ";2" }
        if attributes.contains(.italic) { codes += ";3" }
        if attributes.contains(.underline) { codes += ";4" }
        if attributes.contains(.reverse) { codes += ";7" }
        codes += Self.code(of: foreground, prefix: 38)
        codes += Self.code(of: background, prefix: 48)
        return "\u{1B}[\(codes)m"
    }

    private static func code(of color: Color, prefix: Int) -> String {
        switch color {
        case .standard: ""
        case .indexed(let index): ";\(prefix);5;\(index)"
        case .rgb(let red, let green, let blue): ";\(prefix);2;\(red);\(green);\(blue)"
        }
    }
}

/// The indexed colors of xterm, for terminals with unknown colors.
package enum IndexedPalette {
    private static let basic: [(UInt8, UInt8, UInt8)] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
        (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
        (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    /// Returns the RGB components of the color at an index.
    ///
    /// The palette consists of 16 basic colors, a 6 × 6 × 6 cube, and 24 grays.
    package static func components(of index: UInt8) -> (UInt8, UInt8, UInt8) {
        if index < 16 { return basic[Int(index)] }
        if index >= 232 {
            let gray = 8 + (index - 232) * 10
            return (gray, gray, gray)
        }
        func level(_ step: UInt8) -> UInt8 { step == 0 ? 0 : 55 + step * 40 }
        let cube = index - 16
        return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    }
}

extension Surface {
    /// The characters, with one line per row and no trailing spaces.
    package var plainText: String {
        var text = ""
        for y in 0..<size.height {
            var line = ""
            var textEnd = line.endIndex
            for x in 0..<size.width {
                line += self[x, y].character
                if self[x, y].character != " " { textEnd = line.endIndex }
            }
            text += line[..<textEnd]
            text += "\n"
        }
        return text
    }
}
