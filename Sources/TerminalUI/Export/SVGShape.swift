/// The characters that are drawn as shapes: their cells must meet without gaps.
enum SVGShape {
    private static let width = SVGRenderer.cellWidth
    private static let height = SVGRenderer.cellHeight

    /// How a path is painted.
    enum Paint: Int, CaseIterable {
        /// Filled.
        case filled
        /// Filled, but faint.
        case faint
        /// Its line drawn.
        case drawn

        /// The attributes of a path in a colour.
        func attributes(color: String) -> String {
            switch self {
            case .filled: "fill=\"\(color)\""
            case .faint: "fill=\"\(color)\" opacity=\"0.25\""
            case .drawn: "stroke=\"\(color)\" stroke-width=\"1.2\" fill=\"none\""
            }
        }
    }

    /// A piece of a path.
    struct Piece {
        /// How it is painted.
        var paint: Paint
        /// Its path data; places are in pixels.
        var path: String
    }

    /// The pieces of a character whose cell begins at (`x`, `y`); nil when it is text.
    static func pieces(of character: String, x: Double, y: Double) -> [Piece]? {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1
        else { return nil }
        switch scalar.value {
        case 0x2800...0x28FF:
            return [Piece(paint: .filled, path: braille(Int(scalar.value - 0x2800), x: x, y: y))]
        case 0x2581...0x2588:
            let filled = height * Double(scalar.value - 0x2580) / 8
            let path = rectangle(x: x, y: y + height - filled, width: width, height: filled)
            return [Piece(paint: .filled, path: path)]
        case 0x2591...0x2593: return shade(Int(scalar.value - 0x2590), x: x, y: y)
        case 0x25A0:
            let path = rectangle(x: x + 0.7, y: y + 4.5, width: width - 1.4, height: 9)
            return [Piece(paint: .filled, path: path)]
        case 0x2501:
            let path = rectangle(x: x, y: y + height / 2 - 1.2, width: width, height: 2.4)
            return [Piece(paint: .filled, path: path)]
        default: return line(scalar.value, x: x, y: y).map { [Piece(paint: .drawn, path: $0)] }
        }
    }

    private static func rectangle(x: Double, y: Double, width: Double, height: Double) -> String {
        let across = SVGRenderer.number(width)
        return "M\(SVGRenderer.number(x)) \(SVGRenderer.number(y))h\(across)"
            + "v\(SVGRenderer.number(height))h-\(across)z"
    }

    private static func braille(_ bits: Int, x: Double, y: Double) -> String {
        var path = ""
        for column in 0..<2 {
            for row in 0..<4 where bits & GlyphSet.brailleBits[column][row] != 0 {
                path += rectangle(
                    x: x + width * (Double(column) + 0.5) / 2 - 1.45,
                    y: y + height * (Double(row) + 0.5) / 4 - 1.45,
                    width: 2.9,
                    height: 2.9
                )
            }
        }
        return path
    }

    /// Shades as slanted hatching, which stays apart from full blocks in any colour.
    private static func shade(_ weight: Int, x: Double, y: Double) -> [Piece] {
        var path = ""
        for step in 0..<3 {
            let top = y + 1 + Double(step) * 6
            let thickness = SVGRenderer.number(Double(weight) * 1.2)
            path += "M\(SVGRenderer.number(x)) \(SVGRenderer.number(top + 4))"
            path += "l\(SVGRenderer.number(width)) -4v\(thickness)"
            path += "l-\(SVGRenderer.number(width)) 4z"
        }
        let ground = rectangle(x: x, y: y, width: width, height: height)
        return [Piece(paint: .faint, path: ground), Piece(paint: .filled, path: path)]
    }

    private static func line(_ scalar: UInt32, x: Double, y: Double) -> String? {
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
        return path
    }
}
