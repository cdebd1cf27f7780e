/// An input row with a label, text with a cursor, and the longest hint that fits.
package struct Prompt: Sendable {
    package var label: String
    package var text: String
    /// Equivalent hints, longest first.
    package var hints: [String]
    /// An error in the text, which replaces the hint.
    package var problem: String?

    package init(label: String, text: String, hints: [String], problem: String? = nil) {
        self.label = label
        self.text = text
        self.hints = hints
        self.problem = problem
    }

    /// Draws the row, keeping the end of long text visible.
    package func draw(on canvas: inout Canvas, in row: Rect) {
        guard !row.isEmpty else { return }
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        var labelStyle = theme.raised(.accent)
        labelStyle.attributes.insert(.bold)
        var x = row.minX
        x += canvas.write(" \(label) ", x: x, y: row.minY, style: labelStyle, limit: row.width)
        let room = max(1, row.maxX - x - 1)
        var visible = Substring(text)
        while canvas.width(of: String(visible)) > room - 1, !visible.isEmpty {
            visible = visible.dropFirst()
        }
        x += canvas.write(String(visible), x: x, y: row.minY, style: theme.raised(.text))
        var cursor = theme.raised(.text)
        cursor.attributes.insert(.reverse)
        canvas.put(" ", x: x, y: row.minY, style: cursor)
        let remarks = problem.map { [$0] } ?? hints
        if let remark = remarks.first(where: { x + 3 + canvas.width(of: $0) <= row.maxX }) {
            canvas.write(
                remark,
                x: row.maxX - canvas.width(of: remark) - 1,
                y: row.minY,
                style: theme.raised(problem == nil ? .dim : .error)
            )
        } else if let problem {
            // The error takes precedence over the text.
            let style = theme.raised(.error)
            canvas.write(" \(problem) ", x: row.minX, y: row.minY, style: style, limit: row.width)
        }
    }
}
