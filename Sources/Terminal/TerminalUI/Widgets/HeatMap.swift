/// A heat map over time, with heavier characters for higher counts.
package struct HeatMap: Sendable {
    /// The columns of counts in chronological order, each from the smallest to the largest value.
    package var columns: [[Double]]
    /// The axis labels by row, counted from the bottom.
    package var labels: [Int: String]
    /// The colors, from low to high counts.
    package var gradient: GradientRole

    /// The width of the axis on the left: the width of the labels plus one column.
    package var axisWidth: Int

    package init(
        columns: [[Double]],
        labels: [Int: String] = [:],
        gradient: GradientRole = .load,
        axisWidth: Int = 8
    ) {
        self.columns = columns
        self.labels = labels
        self.gradient = gradient
        self.axisWidth = axisWidth
    }

    /// Returns the characters for cells, from low to high counts.
    ///
    /// The characters are distinct without colors.
    package static func weights(in glyphs: GlyphSet) -> [String] {
        glyphs == .ascii ? [".", ":", "+", "#"] : ["░", "▒", "▓", "█"]
    }

    /// Draws the cells and the axis, with the newest column at the right edge.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width > axisWidth, rect.height > 0 else { return }
        let plot = Rect(
            x: rect.minX + axisWidth,
            y: rect.minY,
            width: rect.width - axisWidth,
            height: rect.height
        )
        drawAxis(on: &canvas, beside: plot)
        let largest = columns.reduce(0) { $1.reduce($0) { $1.isFinite ? max($0, $1) : $0 } }
        guard largest > 0 else { return }
        let weights = Self.weights(in: canvas.glyphs)
        let count = min(columns.count, plot.width)
        for offset in 0..<count {
            let column = columns[columns.count - count + offset]
            for row in 0..<min(plot.height, column.count) where column[row] > 0 {
                // With the square root, a single slow access remains visible next to a peak of
                // thousands.
                let share = (column[row] / largest).squareRoot()
                let step = min(Int(share * Double(weights.count)), weights.count - 1)
                canvas.put(
                    weights[step],
                    x: plot.maxX - count + offset,
                    y: plot.maxY - 1 - row,
                    style: canvas.theme.style(gradient, at: share)
                )
            }
        }
    }

    private func drawAxis(on canvas: inout Canvas, beside plot: Rect) {
        let border = canvas.theme.style(.border)
        for row in 0..<plot.height {
            let y = plot.maxY - 1 - row
            let label = labels[row]
            let tick = label == nil ? canvas.glyphs.border.vertical : canvas.glyphs.axis
            canvas.put(tick, x: plot.minX - 1, y: y, style: border)
            guard let label else { continue }
            let gutter = Rect(
                x: plot.minX - axisWidth,
                y: y,
                width: axisWidth - 1,
                height: 1
            )
            let style = canvas.theme.style(.dim)
            canvas.write(label, in: gutter, style: style, alignment: .trailing)
        }
    }
}
