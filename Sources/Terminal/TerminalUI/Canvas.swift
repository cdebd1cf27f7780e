/// A drawing area for widgets: a surface with a clip, a theme, and a glyph set.
///
/// Drawing outside ``clip`` has no effect, so widgets do not check their bounds.
package struct Canvas: Sendable {
    package private(set) var surface: Surface
    /// The area that drawing is limited to.
    package private(set) var clip: Rect
    package let theme: Theme
    package let glyphs: GlyphSet
    var mouseAreas: [MouseArea] = []
    /// Whether the surface contains wide characters, whose halves must be overwritten together.
    private var hasWideCharacters = false

    package init(size: Size, theme: Theme, glyphs: GlyphSet) {
        surface = Surface(size: size, filledWith: Cell(" ", style: theme.style(.text)))
        clip = Rect(x: 0, y: 0, width: surface.size.width, height: surface.size.height)
        self.theme = theme
        self.glyphs = glyphs
    }

    package var bounds: Rect {
        Rect(x: 0, y: 0, width: surface.size.width, height: surface.size.height)
    }

    /// Calls `body` with the clip narrowed to `rect`.
    package mutating func clipped(to rect: Rect, _ body: (inout Canvas) -> Void) {
        let outer = clip
        clip = outer.intersection(rect)
        if !clip.isEmpty { body(&self) }
        clip = outer
    }

    /// Writes a one-column glyph to a cell.
    package mutating func put(_ glyph: String, x: Int, y: Int, style: Style) {
        guard x >= clip.minX, x < clip.maxX, y >= clip.minY, y < clip.maxY else { return }
        if hasWideCharacters { repairWide(x: x, y: y) }
        surface.put(glyph, style, x: x, y: y)
    }

    /// Changes the style of a cell without changing its character.
    package mutating func restyle(x: Int, y: Int, _ change: (inout Style) -> Void) {
        guard x >= clip.minX, x < clip.maxX, y >= clip.minY, y < clip.maxY else { return }
        change(&surface[x, y].style)
    }

    /// Fills a rectangle with a one-column glyph.
    package mutating func fill(_ rect: Rect, with glyph: String = " ", style: Style) {
        let area = rect.intersection(clip)
        for y in area.minY..<max(area.minY, area.maxY) {
            for x in area.minX..<max(area.minX, area.maxX) {
                put(glyph, x: x, y: y, style: style)
            }
        }
    }

    /// Writes text, starting in column `x`.
    ///
    /// Text longer than `limit` columns ends in an ellipsis.
    ///
    /// - Returns: The number of columns written.
    @discardableResult
    package mutating func write(
        _ text: String,
        x: Int,
        y: Int,
        style: Style,
        limit: Int = .max
    ) -> Int {
        let limit = min(limit, max(0, clip.maxX - x))
        guard limit > 0, y >= clip.minY, y < clip.maxY else { return 0 }
        let ellipsis = glyphs == .ascii ? "~" : "…"
        var column = 0
        var lastStart = 0
        CellText.forEachCell(of: text, isASCII: glyphs == .ascii) { cell, width in
            guard column + width <= limit else {
                // Replace the last character entirely, because it may be wide.
                let ellipsisColumn = column < limit ? column : lastStart
                put(ellipsis, x: x + ellipsisColumn, y: y, style: style)
                column = ellipsisColumn + 1
                return false
            }
            put(cell, x: x + column, y: y, style: style)
            if width == 2 { putSecondHalf(x: x + column + 1, y: y, style: style) }
            lastStart = column
            column += width
            return true
        }
        return column
    }

    /// Writes consecutive spans and returns the number of columns written.
    @discardableResult
    package mutating func write(_ spans: [Span], x: Int, y: Int, limit: Int = .max) -> Int {
        var column = 0
        for span in spans where column < limit {
            column += write(
                span.text,
                x: x + column,
                y: y,
                style: span.style,
                limit: limit - column
            )
        }
        return column
    }

    package mutating func write(
        _ text: String,
        in row: Rect,
        style: Style,
        alignment: Alignment
    ) {
        let slack = max(0, row.width - width(of: text))
        let offset =
            switch alignment {
            case .leading: 0
            case .trailing: slack
            case .center: slack / 2
            }
        write(text, x: row.minX + offset, y: row.minY, style: style, limit: row.width - offset)
    }

    package func width(of text: String) -> Int {
        CellText.width(of: text, isASCII: glyphs == .ascii)
    }

    package func width(of spans: [Span]) -> Int {
        spans.reduce(0) { $0 + width(of: $1.text) }
    }

    private mutating func putSecondHalf(x: Int, y: Int, style: Style) {
        hasWideCharacters = true
        guard x < clip.maxX else { return }
        // The next cell may contain the second half of the previous wide character.
        if x + 1 < surface.size.width, surface[x + 1, y].character.isEmpty {
            surface[x + 1, y].character = " "
        }
        surface[x, y] = Cell("", style: style)
    }

    /// Blanks the remaining half of a wide character before one of its cells is overwritten.
    private mutating func repairWide(x: Int, y: Int) {
        if surface[x, y].character.isEmpty, x > 0 { surface[x - 1, y].character = " " }
        if x + 1 < surface.size.width, surface[x + 1, y].character.isEmpty {
            surface[x + 1, y].character = " "
        }
    }
}

package struct Span: Sendable, Equatable {
    package var text: String
    package var style: Style

    package init(_ text: String, _ style: Style) {
        self.text = text
        self.style = style
    }
}

/// The horizontal position of text in a row.
package enum Alignment: Sendable {
    case leading
    case center
    case trailing
}

extension Canvas {
    /// Draws a vertical line over a chart, visible without colors.
    ///
    /// Empty cells show a bar, and other cells use reverse video.
    package mutating func drawCursor(x: Int, in rect: Rect) {
        let bar = glyphs == .ascii ? "!" : "│"
        for y in rect.minY..<rect.maxY {
            if surface[x, y].character == " " {
                put(bar, x: x, y: y, style: theme.bold(.accent))
            } else {
                restyle(x: x, y: y) { $0.attributes.formSymmetricDifference(.reverse) }
            }
        }
    }
}

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
