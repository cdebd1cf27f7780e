/// The values of a second series as separate marks over a chart.
///
/// The marks have a different shape from the chart's areas, so they are distinct without colors.
package struct GhostLine: Sendable {
    /// A value for each dot column of the chart, where NaN represents a missing value.
    package var values: [Double]
    /// The value at the upper edge of the chart.
    package var maximum: Double

    package init(values: [Double], maximum: Double) {
        self.values = values
        self.maximum = maximum
    }

    /// Returns the mark for a value.
    package static func mark(in glyphs: GlyphSet) -> String { glyphs == .ascii ? "o" : "○" }

    /// Returns a legend entry, such as `○ ghost`, or no entry if there is no second series.
    package static func legend(_ isShown: Bool, _ theme: Theme, _ glyphs: GlyphSet) -> [[Span]] {
        guard isShown else { return [] }
        let style = theme.style(.dim)
        return [[Span(mark(in: glyphs), style), Span(" ghost", style)]]
    }

    /// Draws one mark in each column of cells.
    ///
    /// Over an area, only every second column has a mark, so the area remains visible.
    package func draw(on canvas: inout Canvas, in plot: Rect) {
        guard maximum > 0, !plot.isEmpty else { return }
        let dots = canvas.glyphs.dotsAcross
        let style = canvas.theme.style(.dim)
        for column in 0..<min(plot.width, values.count / max(dots, 1)) {
            let knownValues = values[(column * dots)..<((column + 1) * dots)].filter(\.isFinite)
            guard !knownValues.isEmpty else { continue }
            let mean = knownValues.reduce(0, +) / Double(knownValues.count)
            let share = min(max(mean / maximum, 0), 1)
            let row = plot.height - 1 - max(0, Int(share * Double(plot.height) - 0.01))
            let (x, y) = (plot.minX + column, plot.minY + row)
            let below = canvas.surface[x, y].character
            let isFree = below == " " || below == canvas.glyphs.referenceLine
            guard isFree || column.isMultiple(of: 2) else { continue }
            canvas.put(Self.mark(in: canvas.glyphs), x: x, y: y, style: style)
        }
    }
}
