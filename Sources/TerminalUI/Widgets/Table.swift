/// Rows of text under titles; columns give way by priority where the room is short.
package struct Table: Sendable {
    /// One column.
    package struct Column: Sendable {
        /// Its title.
        package var title: String
        /// Where its text stands.
        package var alignment: Alignment
        /// Its width: dropped below the minimum, as wide as its text needs at the ideal.
        package var track: Track

        /// Creates a column.
        package init(title: String, alignment: Alignment = .leading, track: Track) {
            self.title = title
            self.alignment = alignment
            self.track = track
        }
    }

    /// The columns.
    package var columns: [Column]
    /// The rows: one span for each column.
    package var rows: [[Span]]
    /// Empty columns between two columns.
    package var spacing = 2

    /// Creates a table.
    package init(columns: [Column], rows: [[Span]]) {
        self.columns = columns
        self.rows = rows
    }

    /// The widths of the columns in a table of this width, 0 for those that give way.
    package func widths(in width: Int) -> [Int] {
        Track.lengths(of: columns.map(\.track), available: width, spacing: spacing)
    }

    /// Draws the titles and the rows that fit; the last one says how many do not.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height > 0 else { return }
        let cells = rect.columns(widths(in: rect.width), spacing: spacing)
        for (column, cell) in zip(columns, cells) where cell.width > 0 {
            let style = canvas.theme.style(.dim)
            canvas.write(column.title, in: cell.row(0), style: style, alignment: column.alignment)
        }
        let room = rect.height - 1
        let shown = rows.count <= room ? rows.count : max(0, room - 1)
        for index in 0..<shown {
            for (column, (span, cell)) in zip(columns, zip(rows[index], cells))
            where cell.width > 0 {
                canvas.write(
                    span.text,
                    in: cell.row(index + 1),
                    style: span.style,
                    alignment: column.alignment
                )
            }
        }
        if shown < rows.count, room > 0 {
            canvas.write(
                "and \(rows.count - shown) more",
                x: rect.minX,
                y: rect.minY + shown + 1,
                style: canvas.theme.style(.dim),
                limit: rect.width
            )
        }
    }
}
