/// A histogram with a bar for each bucket and marks on the horizontal axis.
package struct Histogram: Sendable {
    package struct Mark: Sendable {
        /// The position on the axis, from 0 to 1.
        package var share: Double
        package var label: String
        package var role: Role

        package init(share: Double, label: String, role: Role = .dim) {
            self.share = share
            self.label = label
            self.role = role
        }
    }

    /// The heights of the bars, which have equal widths, from left to right.
    package var values: [Double]
    /// The labels below the axis.
    ///
    /// Overlapping labels are omitted.
    package var ticks: [Mark]
    /// The lines through the bars, with their labels above, most important first.
    package var lines: [Mark]
    /// The colors of the bars, from left to right.
    package var gradient: GradientRole

    package init(
        values: [Double],
        ticks: [Mark] = [],
        lines: [Mark] = [],
        gradient: GradientRole = .load
    ) {
        self.values = values
        self.ticks = ticks
        self.lines = lines
        self.gradient = gradient
    }

    /// Draws the bars between a row of line labels and a row of ticks.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width > 0, rect.height >= 3, !values.isEmpty else { return }
        let plot = Rect(
            x: rect.minX,
            y: rect.minY + 1,
            width: rect.width,
            height: rect.height - 2
        )
        drawBars(on: &canvas, in: plot)
        drawTexts(ticks, movesLabels: false, on: &canvas, in: rect.row(rect.height - 1))
        drawLines(on: &canvas, in: plot, texts: rect.row(0))
    }

    private func drawBars(on canvas: inout Canvas, in plot: Rect) {
        let largest = values.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
        guard largest > 0 else { return }
        let isASCII = canvas.glyphs == .ascii
        let steps = isASCII ? 2 : 8
        for column in 0..<plot.width {
            let share = (Double(column) + 0.5) / Double(plot.width)
            let value = values[min(Int(share * Double(values.count)), values.count - 1)]
            guard value.isFinite, value > 0 else { continue }
            let level = max(1, Int((value / largest * Double(plot.height * steps)).rounded()))
            let style = canvas.theme.style(gradient, at: share)
            for row in 0..<plot.height {
                let filled = min(level - row * steps, steps)
                guard filled > 0 else { break }
                let glyph =
                    isASCII ? (filled > 1 ? "#" : "_") : GlyphSet.eighths[filled]
                canvas.put(glyph, x: plot.minX + column, y: plot.maxY - 1 - row, style: style)
            }
        }
    }

    private func drawLines(on canvas: inout Canvas, in plot: Rect, texts: Rect) {
        let isASCII = canvas.glyphs == .ascii
        for line in lines where line.share.isFinite && (0...1).contains(line.share) {
            let x = plot.minX + min(Int(line.share * Double(plot.width)), plot.width - 1)
            let style = canvas.theme.style(line.role)
            for y in plot.minY..<plot.maxY where canvas.surface[x, y].character == " " {
                canvas.put(isASCII ? ":" : "┊", x: x, y: y, style: style)
            }
        }
        drawTexts(lines, movesLabels: true, on: &canvas, in: texts)
    }

    /// Writes labels at their positions without overlap.
    ///
    /// Earlier labels take priority.
    private func drawTexts(
        _ marks: [Mark],
        movesLabels: Bool,
        on canvas: inout Canvas,
        in row: Rect
    ) {
        var occupied: [Range<Int>] = []
        for mark in marks where mark.share.isFinite && (0...1).contains(mark.share) {
            let width = canvas.width(of: mark.label)
            guard width <= row.width else { continue }
            let x = row.minX + min(Int(mark.share * Double(row.width)), row.width - 1)
            // Center the label on its position, or place it next to another label.
            let middle = x - width / 2
            let beside = occupied.filter { $0.overlaps(middle - 1..<middle + width + 1) }
                .flatMap { [$0.lowerBound - width, $0.upperBound] }
            let others = movesLabels ? beside : []
            let starts = ([middle] + others.sorted { abs($0 - middle) < abs($1 - middle) }).map {
                min(max($0, row.minX), row.maxX - width)
            }
            let free = starts.first { start in
                !occupied.contains { $0.overlaps(start..<start + width) }
            }
            guard let start = free else { continue }
            occupied.append(start - 1..<start + width + 1)
            let style = canvas.theme.style(mark.role)
            canvas.write(mark.label, x: start, y: row.minY, style: style)
        }
    }
}
