import Text

/// A renderer that draws a surface as an SVG image for documentation.
///
/// Text uses a monospaced font. Box-drawing lines, blocks, and braille dots are drawn as shapes. As
/// a result, the grid is exact and lines join in every viewer.
package struct SVGRenderer {
    /// The width of a cell, in pixels.
    static let cellWidth = 8.4
    /// The height of a cell, in pixels.
    static let cellHeight = 18.0
    /// The foreground color for `.standard`.
    private let standardForeground: String
    /// The background color for `.standard`.
    private let standardBackground: String
    private let surface: Surface
    private var body = ""
    /// The path data of shapes, indexed by ``SVGShape/Paint`` and keyed by color.
    ///
    /// Each entry becomes one element.
    private var paths: [[String: String]] = SVGShape.Paint.allCases.map { _ in [:] }
    /// The text elements, grouped by their common attributes.
    private var texts: [String: String] = [:]
    private var hatchings: [SVGShape.Hatching] = []

    /// Returns a surface as an SVG document.
    ///
    /// The title is a description of the image for accessibility.
    package static func render(_ surface: Surface, title: String) -> String {
        var renderer = SVGRenderer(surface: surface)
        return renderer.document(title: title)
    }

    private init(surface: Surface) {
        self.surface = surface
        standardForeground = "#d3dce6"
        standardBackground = "#0d1218"
    }

    private mutating func document(title: String) -> String {
        for y in 0..<surface.size.height { drawBackgrounds(ofRow: y) }
        for y in 0..<surface.size.height { drawCharacters(ofRow: y) }
        for (attributes, elements) in texts.sorted(by: { $0.key < $1.key }) {
            body += "<g\(attributes)>\n\(elements)</g>\n"
        }
        for paint in SVGShape.Paint.allCases {
            for (color, path) in paths[paint.rawValue].sorted(by: { $0.key < $1.key }) {
                body += "<path d=\"\(path)\" \(paint.attributes(color: color))/>\n"
            }
        }
        let patterns = hatchings.indices.map { hatchings[$0].pattern(number: $0) }.joined()
        let margin = 10.0
        let width = Double(surface.size.width) * Self.cellWidth + 2 * margin
        let height = Double(surface.size.height) * Self.cellHeight + 2 * margin
        let frame = hex(surface[0, 0].style.background, otherwise: standardBackground)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))" \
            height="\(Self.number(height))" viewBox="\(Self.number(-margin)) \
            \(Self.number(-margin)) \(Self.number(width)) \(Self.number(height))" role="img">
            <title>\(Escaping.xml(title))</title>
            <defs>\(patterns)</defs>
            <rect x="\(Self.number(-margin))" y="\(Self.number(-margin))" \
            width="\(Self.number(width))" height="\(Self.number(height))" rx="8" fill="\(frame)"/>
            <g font-family="DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace" \
            font-size="14" xml:space="preserve">
            \(body)</g>
            </svg>

            """
    }

    private mutating func drawBackgrounds(ofRow y: Int) {
        let frame = surface[0, 0].style.background
        var x = 0
        while x < surface.size.width {
            let color = visibleStyle(x, y).background
            var end = x + 1
            while end < surface.size.width, visibleStyle(end, y).background == color { end += 1 }
            if color != frame {
                let left = Self.number(Double(x) * Self.cellWidth)
                let top = Self.number(Double(y) * Self.cellHeight)
                let width = Self.number(Double(end - x) * Self.cellWidth)
                body += "<rect x=\"\(left)\" y=\"\(top)\" width=\"\(width)\""
                body += " height=\"\(Self.number(Self.cellHeight))\""
                body += " fill=\"\(hex(color, otherwise: standardBackground))\"/>\n"
            }
            x = end
        }
    }

    private mutating func drawCharacters(ofRow y: Int) {
        drawDots(ofRow: y)
        var x = 0
        while x < surface.size.width {
            let cell = surface[x, y]
            if cell.character.isEmpty || cell.character == " " || Self.isBraille(cell.character) {
                x += 1
                continue
            }
            let style = visibleStyle(x, y)
            let fill = hex(style.foreground, otherwise: standardForeground)
            if let shape = SVGShape(cell.character) {
                let length = shape.isExtensible ? equalCells(from: x, y) : 1
                draw(shape, x: x, y: y, length: length, fill: fill)
                x += length
                continue
            }
            let run = run(from: x, y, style: cell.style)
            add(run.text, x: x, y: y, columns: run.columns, style: style, fill: fill)
            x += run.columns
        }
    }

    private mutating func draw(_ shape: SVGShape, x: Int, y: Int, length: Int, fill: String) {
        let left = Double(x) * Self.cellWidth
        let top = Double(y) * Self.cellHeight
        switch shape {
        case .vertical:
            // Draw the line only once, from its top cell.
            if y > 0, isSame(x, y, as: (x, y - 1)) { return }
            var bottom = y + 1
            while bottom < surface.size.height, isSame(x, y, as: (x, bottom)) { bottom += 1 }
            let path = SVGShape.verticalLine(x: left, y: top, cells: bottom - y)
            paths[SVGShape.Paint.drawn.rawValue][fill, default: ""] += path
        case .shade(let weight):
            let hatching = SVGShape.Hatching(weight: weight, color: fill)
            let known = hatchings.firstIndex(of: hatching)
            if known == nil { hatchings.append(hatching) }
            body += hatching.rectangle(
                number: known ?? hatchings.count - 1,
                x: left,
                y: top,
                cells: length
            )
        default:
            guard let (paint, path) = shape.path(x: left, y: top, cells: length) else { return }
            paths[paint.rawValue][fill, default: ""] += path
        }
    }

    private func equalCells(from x: Int, _ y: Int) -> Int {
        var end = x + 1
        while end < surface.size.width, isSame(x, y, as: (end, y)) { end += 1 }
        return end - x
    }

    private func isSame(_ x: Int, _ y: Int, as other: (x: Int, y: Int)) -> Bool {
        surface[x, y].character == surface[other.x, other.y].character
            && visibleStyle(x, y).foreground == visibleStyle(other.x, other.y).foreground
    }

    private static func isBraille(_ character: String) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        return (0x2800...0x28FF).contains(scalar.value)
    }

    /// Draws braille dots.
    ///
    /// Adjacent or alternating dots of the same color become one dashed line.
    private mutating func drawDots(ofRow y: Int) {
        var bits = Array(repeating: 0, count: surface.size.width)
        for x in bits.indices {
            let character = surface[x, y].character
            guard Self.isBraille(character), let scalar = character.unicodeScalars.first
            else { continue }
            bits[x] = Int(scalar.value) - 0x2800
        }
        guard bits.contains(where: { $0 != 0 }) else { return }
        let colors = bits.indices.map { x in
            bits[x] == 0 ? "" : hex(visibleStyle(x, y).foreground, otherwise: standardForeground)
        }
        for row in 0..<4 {
            func color(_ dot: Int) -> String? {
                guard dot < bits.count * 2 else { return nil }
                let isSet = bits[dot / 2] & GlyphSet.brailleBits[dot % 2][row] != 0
                return isSet ? colors[dot / 2] : nil
            }
            var dot = 0
            while dot < bits.count * 2 {
                guard let fill = color(dot) else {
                    dot += 1
                    continue
                }
                let isDense = color(dot + 1) == fill || color(dot + 1) != nil
                let step = isDense || color(dot + 2) != fill ? 1 : 2
                var end = dot
                while color(end + step) == fill, step == 1 || color(end + 1) == nil { end += step }
                let (paint, path) = SVGShape.dots(
                    x: Double(dot) * Self.cellWidth / 2,
                    y: Double(y) * Self.cellHeight + Self.cellHeight * (Double(row) + 0.5) / 4,
                    last: end - dot,
                    isDense: step == 1
                )
                paths[paint.rawValue][fill, default: ""] += path
                dot = end + 1
            }
        }
    }

    /// Returns the text of one element: ASCII text in one style up to a gap, or a single character.
    private func run(from x: Int, _ y: Int, style: Style) -> (text: String, columns: Int) {
        var text = surface[x, y].character
        var columns = 1
        if x + 1 < surface.size.width, surface[x + 1, y].character.isEmpty { return (text, 2) }
        guard text.utf8.count == 1 else { return (text, 1) }
        while x + columns < surface.size.width {
            let next = surface[x + columns, y]
            guard next.style == style, next.character.utf8.count == 1 else { break }
            // Many viewers collapse consecutive spaces and then stretch the remaining text.
            if next.character == " ", text.last == " " { break }
            text += next.character
            columns += 1
        }
        while text.last == " " {
            text.removeLast()
            columns -= 1
        }
        return (text, max(columns, 1))
    }

    private mutating func add(
        _ text: String,
        x: Int,
        y: Int,
        columns: Int,
        style: Style,
        fill: String
    ) {
        var attributes = " fill=\"\(fill)\""
        if style.attributes.contains(.bold) { attributes += " font-weight=\"bold\"" }
        if style.attributes.contains(.italic) { attributes += " font-style=\"italic\"" }
        if style.attributes.contains(.underline) { attributes += " text-decoration=\"underline\"" }
        if style.attributes.contains(.dim) { attributes += " opacity=\"0.6\"" }
        let left = Self.number(Double(x) * Self.cellWidth)
        let baseline = Self.number(Double(y) * Self.cellHeight + 13.5)
        var element = "<text x=\"\(left)\" y=\"\(baseline)\""
        if columns > 1 {
            element += " textLength=\"\(Self.number(Double(columns) * Self.cellWidth))\""
        }
        texts[attributes, default: ""] += "\(element)>\(Escaping.xml(text))</text>\n"
    }

    /// Returns the style of a cell, with the colors exchanged if the cell is reversed.
    private func visibleStyle(_ x: Int, _ y: Int) -> Style {
        var style = surface[x, y].style
        if style.attributes.contains(.reverse) {
            (style.foreground, style.background) = (style.background, style.foreground)
        }
        return style
    }

    private func hex(_ color: Color, otherwise standard: String) -> String {
        let components: (UInt8, UInt8, UInt8)
        switch color {
        case .standard: return standard
        case .indexed(let index): components = IndexedPalette.components(of: index)
        case .rgb(let red, let green, let blue): components = (red, green, blue)
        }
        func digits(_ byte: UInt8) -> String {
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "#" + digits(components.0) + digits(components.1) + digits(components.2)
    }

    /// Formats a number with at most two decimal places.
    static func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let whole = abs(hundredths) / 100
        let remainder = abs(hundredths) % 100
        let sign = hundredths < 0 ? "-" : ""
        if remainder == 0 { return "\(sign)\(whole)" }
        return remainder.isMultiple(of: 10)
            ? "\(sign)\(whole).\(remainder / 10)"
            : "\(sign)\(whole).\(remainder < 10 ? "0" : "")\(remainder)"
    }
}
