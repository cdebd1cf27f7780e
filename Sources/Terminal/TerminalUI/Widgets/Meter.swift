/// A bar that is filled in proportion to a share, in the colors of a gradient.
package struct Meter: Sendable {
    /// The share, from 0 to 1.
    package var share: Double
    package var gradient: GradientRole

    package init(share: Double, gradient: GradientRole = .load) {
        self.share = share
        self.gradient = gradient
    }

    package func draw(on canvas: inout Canvas, in row: Rect) {
        guard row.height > 0 else { return }
        let bounded = share.isFinite ? min(max(share, 0), 1) : 0
        var filled = Int((bounded * Double(row.width)).rounded())
        // Draw only a share of 0 as empty, and only a share of at least 99.5% as full.
        if bounded > 0 { filled = max(filled, 1) }
        filled = bounded < 0.995 ? min(filled, row.width - 1) : row.width
        let glyphs = canvas.glyphs.meter
        for step in 0..<row.width {
            let isFilled = step < filled
            let style =
                isFilled
                ? canvas.theme.style(gradient, at: Double(step + 1) / Double(row.width))
                : canvas.theme.style(.track)
            canvas.put(
                isFilled ? glyphs.filled : glyphs.empty,
                x: row.minX + step,
                y: row.minY,
                style: style
            )
        }
    }
}
