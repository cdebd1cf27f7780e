/// The characters that are drawn as shapes: their cells must meet without gaps.
enum SVGShape {
    private static let width = SVGRenderer.cellWidth
    private static let height = SVGRenderer.cellHeight

    /// A filled rectangle; places and lengths are in pixels.
    static func rectangle(
        x: Double,
        y: Double,
        width: Double,
        height: Double,
        fill: String,
        opacity: Double = 1
    ) -> String {
        let faint = opacity < 1 ? " opacity=\"\(SVGRenderer.number(opacity))\"" : ""
        return "<rect x=\"\(SVGRenderer.number(x))\" y=\"\(SVGRenderer.number(y))\""
            + " width=\"\(SVGRenderer.number(width))\" height=\"\(SVGRenderer.number(height))\""
            + " fill=\"\(fill)\"\(faint)/>\n"
    }

    /// The shape of a character whose cell begins at (`x`, `y`); nil when it is text.
    static func of(_ character: String, x: Double, y: Double, fill: String) -> String? {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1
        else { return nil }
        switch scalar.value {
        case 0x2800...0x28FF: return braille(Int(scalar.value - 0x2800), x: x, y: y, fill: fill)
        case 0x2581...0x2588:
            let filled = height * Double(scalar.value - 0x2580) / 8
            return rectangle(x: x, y: y + height - filled, width: width, height: filled, fill: fill)
        case 0x2591...0x2593: return shade(Int(scalar.value - 0x2590), x: x, y: y, fill: fill)
        case 0x25A0:
            return rectangle(x: x + 0.7, y: y + 4.5, width: width - 1.4, height: 9, fill: fill)
        default: return line(scalar.value, x: x, y: y, fill: fill)
        }
    }

    private static func braille(_ bits: Int, x: Double, y: Double, fill: String) -> String {
        var path = ""
        for column in 0..<2 {
            for row in 0..<4 where bits & GlyphSet.brailleBits[column][row] != 0 {
                let left = x + width * (Double(column) + 0.5) / 2 - 1.45
                let top = y + height * (Double(row) + 0.5) / 4 - 1.45
                path += "M\(SVGRenderer.number(left)) \(SVGRenderer.number(top))h2.9v2.9h-2.9z"
            }
        }
        return path.isEmpty ? "" : "<path d=\"\(path)\" fill=\"\(fill)\"/>\n"
    }

    /// Shades as slanted hatching, which stays apart from full blocks in any colour.
    private static func shade(_ weight: Int, x: Double, y: Double, fill: String) -> String {
        let opacity = [0.3, 0.5, 0.75][min(max(weight - 1, 0), 2)]
        var path = ""
        for step in 0..<3 {
            let top = y + 1 + Double(step) * 6
            path += "M\(SVGRenderer.number(x)) \(SVGRenderer.number(top + 4))"
            path += "L\(SVGRenderer.number(x + width)) \(SVGRenderer.number(top))"
        }
        return rectangle(x: x, y: y, width: width, height: height, fill: fill, opacity: opacity / 2)
            + "<path d=\"\(path)\" stroke=\"\(fill)\" stroke-width=\"\(weight)\" fill=\"none\""
            + " opacity=\"0.9\"/>\n"
    }

    private static func line(_ scalar: UInt32, x: Double, y: Double, fill: String) -> String? {
        let middleX = SVGRenderer.number(x + width / 2)
        let middleY = SVGRenderer.number(y + height / 2)
        let left = SVGRenderer.number(x)
        let right = SVGRenderer.number(x + width)
        let top = SVGRenderer.number(y)
        let bottom = SVGRenderer.number(y + height)
        let path: String
        switch scalar {
        case 0x2500: path = "M\(left) \(middleY)H\(right)"
        case 0x2502: path = "M\(middleX) \(top)V\(bottom)"
        case 0x2524: path = "M\(middleX) \(top)V\(bottom)M\(left) \(middleY)H\(middleX)"
        case 0x256D: path = "M\(middleX) \(bottom)Q\(middleX) \(middleY) \(right) \(middleY)"
        case 0x256E: path = "M\(middleX) \(bottom)Q\(middleX) \(middleY) \(left) \(middleY)"
        case 0x2570: path = "M\(middleX) \(top)Q\(middleX) \(middleY) \(right) \(middleY)"
        case 0x256F: path = "M\(middleX) \(top)Q\(middleX) \(middleY) \(left) \(middleY)"
        case 0x254C:
            path = "M\(SVGRenderer.number(x + 1)) \(middleY)h2.4m1.6 0h2.4"
        default: return nil
        }
        return "<path d=\"\(path)\" stroke=\"\(fill)\" stroke-width=\"1.2\" fill=\"none\"/>\n"
    }
}
