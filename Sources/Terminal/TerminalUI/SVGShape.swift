/// A character drawn as a shape, so that adjacent cells join without gaps.
///
/// Repetitions in a row become one element, which reduces the size of the image.
enum SVGShape: Equatable {
    /// `▁` to `█`, in eighths of a cell.
    case block(Int)
    /// `░`, `▒`, or `▓`, as 1, 2, or 3.
    case shade(Int)
    /// `■`.
    case square
    /// `·`.
    case point
    /// `━`.
    case bar
    /// `╌`.
    case dashes
    /// `─`.
    case horizontal
    /// `│`.
    case vertical
    /// A corner or tick of a border, as its scalar.
    case joint(UInt32)

    private static let width = SVGRenderer.cellWidth
    private static let height = SVGRenderer.cellHeight

    /// Creates the shape for a character, or returns `nil` for a character to draw as text.
    init?(_ character: String) {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1
        else { return nil }
        switch scalar.value {
        case 0x2581...0x2588: self = .block(Int(scalar.value) - 0x2580)
        case 0x2591...0x2593: self = .shade(Int(scalar.value) - 0x2590)
        case 0x25A0: self = .square
        case 0xB7: self = .point
        case 0x2501: self = .bar
        case 0x254C: self = .dashes
        case 0x2500: self = .horizontal
        case 0x2502: self = .vertical
        case 0x2524, 0x256D, 0x256E, 0x256F, 0x2570: self = .joint(scalar.value)
        default: return nil
        }
    }

    var isExtensible: Bool {
        switch self {
        case .vertical, .joint: false
        default: true
        }
    }

    enum Paint: Int, CaseIterable {
        case filled
        case drawn
        /// A row of braille dots.
        case dots
        /// A row of alternating braille dots.
        case sparseDots
        case squares
        case points
        case dashes

        func attributes(color: String) -> String {
            func line(_ width: String, _ dashes: String) -> String {
                "stroke=\"\(color)\" stroke-width=\"\(width)\" stroke-dasharray=\"\(dashes)\""
            }
            return switch self {
            case .filled: "fill=\"\(color)\" shape-rendering=\"crispEdges\""
            case .drawn: "stroke=\"\(color)\" stroke-width=\"1.2\" fill=\"none\""
            case .dots: line("2.9", "2.9 1.3")
            case .sparseDots: line("2.9", "2.9 5.5")
            case .squares: line("9", "7 1.4")
            case .points: line("1.6", "1.6 6.8")
            case .dashes: line("1.2", "2.4 1.6 2.4 2")
            }
        }
    }

    /// Returns the painting style and path data for equal cells starting at (`x`, `y`).
    ///
    /// Returns `nil` for shapes that ``Hatching`` and ``verticalLine(x:y:cells:)`` draw.
    func path(x: Double, y: Double, cells: Int) -> (Paint, String)? {
        let length = Self.width * Double(cells)
        let middle = y + Self.height / 2
        func rectangle(_ top: Double, height: Double) -> String {
            let across = SVGRenderer.number(length)
            return "M\(SVGRenderer.number(x)) \(SVGRenderer.number(top))h\(across)"
                + "v\(SVGRenderer.number(height))h-\(across)z"
        }
        switch self {
        case .block(let eighths):
            let filled = Self.height * Double(eighths) / 8
            return (.filled, rectangle(y + Self.height - filled, height: filled))
        case .bar: return (.filled, rectangle(middle - 1.2, height: 2.4))
        case .square: return (.squares, Self.line(x: x + 0.7, y: middle, length: length - 1.4))
        case .point: return (.points, Self.line(x: x + 3.4, y: middle, length: length - 6.8))
        case .dashes: return (.dashes, Self.line(x: x + 1, y: middle, length: length - 2))
        case .horizontal: return (.drawn, Self.line(x: x, y: middle, length: length))
        case .joint(let scalar): return (.drawn, Self.joint(scalar, x: x, y: y))
        case .shade, .vertical: return nil
        }
    }

    static func verticalLine(x: Double, y: Double, cells: Int) -> String {
        "M\(SVGRenderer.number(x + width / 2)) \(SVGRenderer.number(y))"
            + "v\(SVGRenderer.number(Double(cells) * height))"
    }

    /// Returns the style and path data of a row of braille dots.
    ///
    /// `last` is the offset of the last dot, in dot columns.
    static func dots(x: Double, y: Double, last: Int, isDense: Bool) -> (Paint, String) {
        let path = line(x: x + 0.65, y: y, length: Double(last) * width / 2 + 2.9)
        return (isDense ? .dots : .sparseDots, path)
    }

    private static func line(x: Double, y: Double, length: Double) -> String {
        "M\(SVGRenderer.number(x)) \(SVGRenderer.number(y))h\(SVGRenderer.number(length))"
    }

    private static func joint(_ scalar: UInt32, x: Double, y: Double) -> String {
        let middleX = SVGRenderer.number(x + width / 2)
        let middleY = SVGRenderer.number(y + height / 2)
        let left = SVGRenderer.number(x)
        let right = SVGRenderer.number(x + width)
        let top = SVGRenderer.number(y)
        let bottom = SVGRenderer.number(y + height)
        switch scalar {
        case 0x2524: return "M\(middleX) \(top)V\(bottom)M\(left) \(middleY)H\(middleX)"
        case 0x256D: return "M\(middleX) \(bottom)Q\(middleX) \(middleY) \(right) \(middleY)"
        case 0x256E: return "M\(middleX) \(bottom)Q\(middleX) \(middleY) \(left) \(middleY)"
        case 0x2570: return "M\(middleX) \(top)Q\(middleX) \(middleY) \(right) \(middleY)"
        default: return "M\(middleX) \(top)Q\(middleX) \(middleY) \(left) \(middleY)"
        }
    }
}

extension SVGShape {
    /// A shade drawn as slanted lines, which are distinct from full blocks in any color.
    struct Hatching: Equatable {
        /// The weight, from 1 to 3.
        var weight: Int
        var color: String

        /// Returns the definition of a pattern.
        ///
        /// A tile is one cell wide and a third of a cell high.
        func pattern(number: Int) -> String {
            let width = SVGRenderer.number(SVGShape.width)
            let thickness = SVGRenderer.number(Double(weight) * 1.2)
            // Draw the line twice, because it wraps from the bottom to the top of the tile.
            let path = [4.0, -2.0].map { top in
                "M0 \(SVGRenderer.number(top))l\(width) -4v\(thickness)l-\(width) 4z"
            }.joined()
            return "<pattern id=\"h\(number)\" width=\"\(width)\" height=\"6\""
                + " patternUnits=\"userSpaceOnUse\" fill=\"\(color)\">"
                + "<path d=\"M0 0h\(width)v6h-\(width)z\" opacity=\"0.25\"/>"
                + "<path d=\"\(path)\"/></pattern>\n"
        }

        /// Returns a rectangle that is `cells` cells wide and filled with a pattern.
        func rectangle(number: Int, x: Double, y: Double, cells: Int) -> String {
            "<rect x=\"\(SVGRenderer.number(x))\" y=\"\(SVGRenderer.number(y))\""
                + " width=\"\(SVGRenderer.number(SVGShape.width * Double(cells)))\""
                + " height=\"\(SVGRenderer.number(SVGShape.height))\" fill=\"url(#h\(number))\"/>\n"
        }
    }
}
