/// A series of states over time, with a glyph and a color for each interval.
package struct LaneStrip: Sendable {
    /// The appearance of a state.
    package struct Mark: Sendable {
        /// The glyph.
        package var glyph: String
        /// The ASCII glyph.
        package var ascii: String
        /// The color.
        package var role: Role

        /// Creates a mark.
        package init(glyph: String, ascii: String, role: Role) {
            self.glyph = glyph
            self.ascii = ascii
            self.role = role
        }

        /// Returns the glyph for a glyph set.
        package func text(in glyphs: GlyphSet) -> String { glyphs == .ascii ? ascii : glyph }
    }

    /// The marks of the states.
    package var marks: [Mark]
    /// The index of a mark for each cell, newest last, or `nil` for unknown states.
    package var cells: [Int?]

    /// Creates a strip.
    package init(marks: [Mark], cells: [Int?]) {
        self.marks = marks
        self.cells = cells
    }

    /// Draws the newest cells that fit, aligned to the right edge of the row.
    package func draw(on canvas: inout Canvas, in row: Rect) {
        guard row.height > 0 else { return }
        let count = min(cells.count, row.width)
        for offset in 0..<count {
            guard let index = cells[cells.count - count + offset], marks.indices.contains(index)
            else { continue }
            let mark = marks[index]
            canvas.put(
                mark.text(in: canvas.glyphs),
                x: row.maxX - count + offset,
                y: row.minY,
                style: canvas.theme.style(mark.role)
            )
        }
    }
}
