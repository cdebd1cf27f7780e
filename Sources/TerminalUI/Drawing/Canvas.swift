/// Where widgets draw: a surface, the part of it that may be written, a theme and its glyphs.
///
/// Nothing drawn outside of ``clip`` has an effect, so a widget never checks its bounds.
package struct Canvas: Sendable {
    /// What was drawn.
    package private(set) var surface: Surface
    /// The cells that may be written.
    package private(set) var clip: Rect
    /// The colours.
    package let theme: Theme
    /// The characters that pictures are made of.
    package let glyphs: GlyphSet
    /// What parts of the screen mean to a mouse.
    var mouseAreas: [MouseArea] = []
    /// Whether a character of two columns was put: without one there are no halves to mend.
    private var hasWide = false

    /// Creates an empty canvas in the theme's background.
    package init(size: Size, theme: Theme, glyphs: GlyphSet) {
        surface = Surface(size: size, filledWith: Cell(" ", style: theme.style(.text)))
        clip = Rect(x: 0, y: 0, width: surface.size.width, height: surface.size.height)
        self.theme = theme
        self.glyphs = glyphs
    }

    /// All of it.
    package var bounds: Rect {
        Rect(x: 0, y: 0, width: surface.size.width, height: surface.size.height)
    }

    /// Draws with the clip narrowed to `rect`.
    package mutating func clipped(to rect: Rect, _ body: (inout Canvas) -> Void) {
        let outer = clip
        clip = outer.intersection(rect)
        if !clip.isEmpty { body(&self) }
        clip = outer
    }

    /// Puts a glyph of one column into a cell.
    package mutating func put(_ glyph: String, x: Int, y: Int, style: Style) {
        guard x >= clip.minX, x < clip.maxX, y >= clip.minY, y < clip.maxY else { return }
        if hasWide { mendWide(x: x, y: y) }
        surface.put(glyph, style, x: x, y: y)
    }

    /// Changes how a cell looks, and leaves its character.
    package mutating func restyle(x: Int, y: Int, _ change: (inout Style) -> Void) {
        guard x >= clip.minX, x < clip.maxX, y >= clip.minY, y < clip.maxY else { return }
        change(&surface[x, y].style)
    }

    /// Fills a rectangle with a glyph of one column.
    package mutating func fill(_ rect: Rect, with glyph: String = " ", style: Style) {
        let area = rect.intersection(clip)
        for y in area.minY..<max(area.minY, area.maxY) {
            for x in area.minX..<max(area.minX, area.maxX) {
                put(glyph, x: x, y: y, style: style)
            }
        }
    }

    /// Writes text from column `x` on; what does not fit into `limit` columns ends in an ellipsis.
    ///
    /// - Returns: The columns written.
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
                // The last cell gives way: half of a wide one before it would be left otherwise.
                let mark = column < limit ? column : lastStart
                put(ellipsis, x: x + mark, y: y, style: style)
                column = mark + 1
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

    /// Writes spans one after another.
    ///
    /// - Returns: The columns written.
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

    /// Writes text into a row, against its left edge, its right edge or in its middle.
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

    /// The columns that a text takes on this canvas.
    package func width(of text: String) -> Int {
        CellText.width(of: text, isASCII: glyphs == .ascii)
    }

    /// The columns that spans take on this canvas.
    package func width(of spans: [Span]) -> Int {
        spans.reduce(0) { $0 + width(of: $1.text) }
    }

    private mutating func putSecondHalf(x: Int, y: Int, style: Style) {
        hasWide = true
        guard x < clip.maxX else { return }
        // The cell after it may be the orphan of a wide character that stood here.
        if x + 1 < surface.size.width, surface[x + 1, y].character.isEmpty {
            surface[x + 1, y].character = " "
        }
        surface[x, y] = Cell("", style: style)
    }

    /// Blanks the other half of a wide character, one of whose cells is about to be overwritten.
    private mutating func mendWide(x: Int, y: Int) {
        if surface[x, y].character.isEmpty, x > 0 { surface[x - 1, y].character = " " }
        if x + 1 < surface.size.width, surface[x + 1, y].character.isEmpty {
            surface[x + 1, y].character = " "
        }
    }
}

/// A piece of text in one style.
package struct Span: Sendable, Equatable {
    /// The text.
    package var text: String
    /// How it looks.
    package var style: Style

    /// Creates a span.
    package init(_ text: String, _ style: Style) {
        self.text = text
        self.style = style
    }
}

/// Where text stands in a row.
package enum Alignment: Sendable {
    /// Against the left edge.
    case leading
    /// In the middle.
    case center
    /// Against the right edge.
    case trailing
}

extension Canvas {
    /// Draws a vertical line over a chart: a bar where the chart is empty, and what is there
    /// reversed elsewhere, so that it shows without colours too.
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
