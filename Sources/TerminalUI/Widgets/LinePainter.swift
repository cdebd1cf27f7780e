/// A line through values, painted into cells as braille dots, half blocks or ASCII.
package struct LinePainter: Sendable {
    /// A value for each dot column; NaN where there is none.
    package var values: [Double]
    /// The values at the lower and the upper edge.
    package var range: ClosedRange<Double>

    /// Creates a painter.
    package init(values: [Double], range: ClosedRange<Double>) {
        self.values = values
        self.range = range
    }

    /// Paints the line; the cells that it does not pass through are left as they are.
    package func paint(on canvas: inout Canvas, in rect: Rect, style: Style) {
        guard !rect.isEmpty, range.upperBound > range.lowerBound else { return }
        let across = canvas.glyphs == .braille ? 2 : 1
        let down = canvas.glyphs == .braille ? 4 : 2
        let levels = rect.height * down
        func level(_ index: Int) -> Int? {
            guard index >= 0, index < values.count, values[index].isFinite else { return nil }
            let share = (values[index] - range.lowerBound) / (range.upperBound - range.lowerBound)
            return Int((min(max(share, 0), 1) * Double(levels - 1)).rounded())
        }
        var bits = Array(repeating: 0, count: rect.width * rect.height)
        var before: Int?
        for column in 0..<min(values.count, rect.width * across) {
            defer { before = level(column) }
            guard let here = level(column) else { continue }
            // Down or up to where the last one ended, so that steep pieces are closed.
            let low = min(here, before.map { $0 < here ? $0 + 1 : $0 - 1 } ?? here)
            let high = max(here, before.map { $0 < here ? $0 + 1 : $0 - 1 } ?? here)
            for dot in min(low, here)...max(high, here) {
                guard (0..<levels).contains(dot) else { continue }
                let row = rect.height - 1 - dot / down
                let bit =
                    across == 2
                    ? GlyphSet.brailleBits[column % 2][3 - dot % 4] : (dot % 2 == 0 ? 1 : 2)
                bits[row * rect.width + column / across] |= bit
            }
        }
        for (index, bits) in bits.enumerated() where bits != 0 {
            let glyph =
                switch canvas.glyphs {
                case .braille: GlyphSet.brailleCells[bits]
                case .block: ["", "▄", "▀", "█"][bits]
                case .ascii: ["", "_", "-", "|"][bits]
                }
            canvas.put(
                glyph,
                x: rect.minX + index % rect.width,
                y: rect.minY + index / rect.width,
                style: style
            )
        }
    }
}
