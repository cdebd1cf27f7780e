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
