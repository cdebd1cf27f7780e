/// A painter that draws stacked values as braille dots, blocks, or ASCII characters.
///
/// The painter does not draw axes or lines. ``TimeChart`` and ``Sparkline`` use it.
struct AreaPainter {
    /// The fill of an area, distinct even without colors.
    enum Fill: Sendable {
        case solid
        /// Every other dot is filled, as in a checkerboard pattern.
        case shaded
    }

    struct Layer {
        /// A value for each dot column, from left to right, where NaN represents a missing value.
        var values: [Double]
        /// The colors from the lower to the upper bound of ``range``.
        var gradient: GradientRole
        /// The range of values over which the color changes.
        var range: ClosedRange<Double>
        var fill: Fill
    }

    /// The areas, from bottom to top.
    var layers: [Layer]
    /// The value at the upper edge.
    var maximum: Double

    /// Paints the areas without changing cells that have no dots.
    func paint(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty, maximum > 0, !layers.isEmpty else { return }
        let glyphs = canvas.glyphs
        let columns = rect.width * glyphs.dotsAcross
        let tops = tops(columns: columns, levels: rect.height * glyphs.dotsDown)
        var counts = Array(repeating: 0, count: layers.count)
        // Most cells are above the upper edge of their column, so skip them.
        let upper = (layers.count - 1) * columns
        let edges = (0..<rect.width).map { column in
            (0..<glyphs.dotsAcross).reduce(0) {
                max($0, tops[upper + column * glyphs.dotsAcross + $1])
            }
        }
        for row in 0..<rect.height {
            let base = (rect.height - 1 - row) * glyphs.dotsDown
            for column in 0..<rect.width where edges[column] > base {
                for layer in layers.indices { counts[layer] = 0 }
                var bits = 0
                for across in 0..<glyphs.dotsAcross {
                    let dotColumn = column * glyphs.dotsAcross + across
                    var low = 0
                    for layer in layers.indices {
                        let top = tops[layer * columns + dotColumn]
                        let firstLevel = max(low - base, 0)
                        let endLevel = min(top - base, glyphs.dotsDown)
                        low = top
                        guard firstLevel < endLevel else { continue }
                        counts[layer] += endLevel - firstLevel
                        guard glyphs == .braille else { continue }
                        let isShaded = layers[layer].fill == .shaded
                        for level in firstLevel..<endLevel
                        where !isShaded || (level + dotColumn + base).isMultiple(of: 2) {
                            bits |= GlyphSet.brailleBits[across][3 - level]
                        }
                    }
                }
                // The checkerboard pattern may omit all dots of a thin area.
                guard let strongest = strongest(counts), bits != 0 || glyphs != .braille
                else { continue }
                let level = counts.reduce(0, +)
                let layer = layers[strongest]
                let height = Double(base + level) / Double(rect.height * glyphs.dotsDown)
                let extent = layer.range.upperBound - layer.range.lowerBound
                let share =
                    extent > 0 ? (height * maximum - layer.range.lowerBound) / extent : 1
                let glyph = glyph(
                    bits: bits,
                    level: level,
                    fill: layer.fill,
                    glyphs: glyphs
                )
                canvas.put(
                    glyph,
                    x: rect.minX + column,
                    y: rect.minY + row,
                    style: canvas.theme.style(layer.gradient, at: share)
                )
            }
        }
    }

    /// Returns the upper edge of each layer in each dot column, in levels from the bottom.
    private func tops(columns: Int, levels: Int) -> [Int] {
        var tops = Array(repeating: 0, count: layers.count * columns)
        for column in 0..<columns {
            var sum = 0.0
            var low = 0
            for (index, layer) in layers.enumerated() {
                let value = column < layer.values.count ? layer.values[column] : .nan
                if value.isFinite, value > 0 {
                    sum += value
                    let top = Int((min(sum / maximum, 1) * Double(levels)).rounded())
                    // Keep small values visible.
                    low = min(max(top, low + 1), levels)
                }
                tops[index * columns + column] = low
            }
        }
        return tops
    }

    private func strongest(_ counts: [Int]) -> Int? {
        var best: Int?
        for (index, count) in counts.enumerated() where count > 0 {
            if let known = best, counts[known] >= count { continue }
            best = index
        }
        return best
    }

    private func glyph(bits: Int, level: Int, fill: Fill, glyphs: GlyphSet) -> String {
        switch (glyphs, fill) {
        case (.braille, _): GlyphSet.brailleCells[bits]
        case (.block, .solid): GlyphSet.eighths[min(level, 8)]
        case (.block, .shaded): level > 4 ? "▒" : "░"
        case (.ascii, .solid): level > 1 ? "#" : "_"
        case (.ascii, .shaded): level > 1 ? ":" : "."
        }
    }
}

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
