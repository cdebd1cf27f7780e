import TerminalUI

extension Canvas {
    /// Joins pieces with commas in as many rows as necessary, without splitting a piece.
    func rows(of pieces: [[Span]], width: Int) -> [[Span]] {
        let comma = Span(", ", theme.style(.dim))
        var rows: [[Span]] = []
        for piece in pieces {
            if let row = rows.last, self.width(of: row + [comma] + piece) <= width {
                rows[rows.count - 1] += [comma] + piece
            } else {
                rows.append(piece)
            }
        }
        return rows
    }
}
