import Text

/// A chart of stacked areas over time, with an axis on the left and a line that marks a limit.
package struct TimeChart: Sendable {
    package struct Layer: Sendable {
        /// A value for each dot column, where NaN represents a missing value.
        ///
        /// See ``points(in:glyphs:)``.
        package var values: [Double]
        /// The colors from the lower to the upper bound of ``range``.
        package var gradient: GradientRole
        /// The range of values over which the color changes.
        package var range: ClosedRange<Double>
        /// Whether to fill the area with alternating dots, which are visible without colors.
        package var isShaded: Bool

        package init(
            values: [Double],
            gradient: GradientRole,
            range: ClosedRange<Double>,
            isShaded: Bool = false
        ) {
            self.values = values
            self.gradient = gradient
            self.range = range
            self.isShaded = isShaded
        }
    }

    /// The areas, from bottom to top.
    package var layers: [Layer]
    /// The value at the upper edge.
    package var maximum: Double
    /// The value of the horizontal line, and its label on the axis.
    package var reference: (value: Double, label: String)?
    /// The time between the left and right edges, in seconds.
    package var seconds: Double
    /// The label at the right edge, or `nil` for "now".
    package var end: String?

    package init(
        layers: [Layer],
        maximum: Double,
        reference: (value: Double, label: String)? = nil,
        seconds: Double,
        end: String? = nil
    ) {
        self.layers = layers
        self.maximum = maximum
        self.reference = reference
        self.seconds = seconds
        self.end = end
    }

    package static let axisWidth = 7

    /// Returns the number of values that fill a chart of the given width.
    package static func points(in width: Int, glyphs: GlyphSet) -> Int {
        max(0, width - axisWidth) * glyphs.dotsAcross
    }

    /// Returns a round upper limit for the axis that is at least as large as `value`.
    package static func niceMaximum(above value: Double) -> Double {
        guard value.isFinite, value < 1e9 else { return 1e9 }
        var step = 1.0
        while step * 10 < value { step *= 10 }
        let factors = step < 10 ? [1.0, 2, 3, 4, 5, 6, 8] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
        return (factors.first { step * $0 >= value } ?? 10) * step
    }

    /// Draws the chart, with the times in the lowest row.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width > Self.axisWidth + 4, rect.height >= 2 else { return }
        let plot = Self.plot(in: rect)
        let areas = layers.map {
            AreaPainter.Layer(
                values: $0.values,
                gradient: $0.gradient,
                range: $0.range,
                fill: $0.isShaded ? .shaded : .solid
            )
        }
        AreaPainter(layers: areas, maximum: maximum).paint(on: &canvas, in: plot)
        let line = drawReference(on: &canvas, in: plot)
        drawAxis(on: &canvas, beside: plot, line: line)
        Self.drawTimes(
            on: &canvas,
            in: Rect(x: plot.minX, y: rect.maxY - 1, width: plot.width, height: 1),
            seconds: seconds,
            end: end
        )
    }

    /// Draws the reference line over the chart and returns the line's row.
    private func drawReference(on canvas: inout Canvas, in plot: Rect) -> Int? {
        guard let reference, maximum > 0, (0...maximum).contains(reference.value) else {
            return nil
        }
        let share = reference.value / maximum
        let row = plot.height - 1 - Int(share * Double(plot.height) - 0.01)
        guard (0..<plot.height).contains(row) else { return nil }
        let style = canvas.theme.style(.limit)
        let empty = canvas.theme.style(.text)
        for x in plot.minX..<plot.maxX {
            let below = canvas.surface[x, plot.minY + row]
            // Inside areas, draw the line in only every third cell.
            let isFree = below.character == " " && below.style == empty
            guard isFree || (x - plot.minX).isMultiple(of: 3) else { continue }
            canvas.put(canvas.glyphs.referenceLine, x: x, y: plot.minY + row, style: style)
        }
        return row
    }

    private func drawAxis(on canvas: inout Canvas, beside plot: Rect, line: Int?) {
        for row in 0..<plot.height {
            let y = plot.minY + row
            var label = ""
            var role = Role.dim
            if row == line {
                label = reference?.label ?? ""
                role = .limit
            } else if row == 0 {
                label = Self.axisLabel(maximum)
            } else if row == plot.height - 1 {
                label = "0"
            }
            let gutter = Rect(x: plot.minX - Self.axisWidth, y: y, width: 6, height: 1)
            canvas.write(label, in: gutter, style: canvas.theme.style(role), alignment: .trailing)
            let tick = label.isEmpty ? canvas.glyphs.border.vertical : canvas.glyphs.axis
            canvas.put(tick, x: plot.minX - 1, y: y, style: canvas.theme.style(.border))
        }
    }

    /// Returns the rectangle that contains the areas of a chart.
    package static func plot(in rect: Rect) -> Rect {
        Rect(
            x: rect.minX + axisWidth,
            y: rect.minY,
            width: rect.width - axisWidth,
            height: rect.height - 1
        )
    }

    package static func drawTimes(
        on canvas: inout Canvas,
        in row: Rect,
        seconds: Double,
        end: String?
    ) {
        let style = canvas.theme.style(.dim)
        let endText = end ?? "now"
        canvas.write(endText, in: row, style: style, alignment: .trailing)
        guard row.width >= 16, end == nil || row.width >= 30 else { return }
        let dash = canvas.glyphs == .ascii ? "-" : "−"
        canvas.write(
            dash + HumanUnits.secondsLabel(seconds),
            x: row.minX,
            y: row.minY,
            style: style
        )
        guard row.width >= 40 else { return }
        canvas.write(
            dash + HumanUnits.secondsLabel(seconds / 2),
            x: row.minX + row.width / 2,
            y: row.minY,
            style: style
        )
    }

    private static func axisLabel(_ value: Double) -> String {
        let whole = UInt64(max(0, min(value, 1e15)).rounded())
        // The gutter has six columns, but "100,000" would need seven.
        if whole >= 100_000, whole < 1_000_000 { return "\(whole / 1_000)k" }
        return HumanUnits.count(whole)
    }
}
