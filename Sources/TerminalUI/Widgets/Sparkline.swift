/// Values over time in one or more rows, with the newest value on the right.
package struct Sparkline: Sendable {
    /// A value for each dot column, where NaN represents a missing value.
    ///
    /// See ``points(in:glyphs:)``.
    package var values: [Double]
    /// The value at the upper edge, or `nil` for the largest value.
    package var maximum: Double?
    /// The colors, from low to high.
    package var gradient: GradientRole

    package init(values: [Double], maximum: Double? = nil, gradient: GradientRole) {
        self.values = values
        self.maximum = maximum
        self.gradient = gradient
    }

    /// Returns the number of values that fill a width.
    package static func points(in width: Int, glyphs: GlyphSet) -> Int {
        max(0, width) * glyphs.dotsAcross
    }

    /// Draws the strip above a baseline.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty else { return }
        let baseline = canvas.glyphs == .ascii ? "." : canvas.glyphs == .braille ? "⣀" : "▁"
        canvas.fill(
            Rect(x: rect.minX, y: rect.maxY - 1, width: rect.width, height: 1),
            with: baseline,
            style: canvas.theme.style(.track)
        )
        let largest = maximum ?? values.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
        let layer = AreaPainter.Layer(
            values: values,
            gradient: gradient,
            range: 0...max(largest, .leastNonzeroMagnitude),
            fill: .solid
        )
        if rect.height == 1, canvas.glyphs == .ascii {
            drawWeights(on: &canvas, in: rect, maximum: largest)
        } else {
            AreaPainter(layers: [layer], maximum: largest).paint(on: &canvas, in: rect)
        }
    }

    /// Draws characters of increasing weight, which give an ASCII row eight levels instead of two.
    private func drawWeights(on canvas: inout Canvas, in rect: Rect, maximum: Double) {
        guard maximum > 0 else { return }
        for column in 0..<min(rect.width, values.count)
        where values[column].isFinite && values[column] > 0 {
            let share = min(values[column] / maximum, 1)
            let weight = GlyphSet.asciiWeights[max(1, Int((share * 8).rounded()))]
            let style = canvas.theme.style(gradient, at: share)
            canvas.put(weight, x: rect.minX + column, y: rect.minY, style: style)
        }
    }
}
