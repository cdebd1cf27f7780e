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
