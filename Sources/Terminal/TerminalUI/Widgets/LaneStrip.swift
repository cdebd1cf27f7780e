/// A series of states over time, each with a glyph and a color.
package struct LaneStrip: Sendable {
    package struct Mark: Sendable {
        package var glyph: String
        package var ascii: String
        package var role: Role

        package init(glyph: String, ascii: String, role: Role) {
            self.glyph = glyph
            self.ascii = ascii
            self.role = role
        }

        package func text(in glyphs: GlyphSet) -> String { glyphs == .ascii ? ascii : glyph }
    }

    package var marks: [Mark]
    /// The index of each cell's mark, newest cell last, or `nil` for an unknown state.
    package var cells: [Int?]

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
