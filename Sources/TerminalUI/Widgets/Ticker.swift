/// Recent events, one per line, newest first.
package struct Ticker: Sendable {
    /// A line of the ticker.
    package struct Line: Sendable {
        /// The time of the event, as text.
        package var time: String
        /// A glyph and a color for the severity.
        package var mark: Span
        /// The message.
        package var message: String

        /// Creates a line.
        package init(time: String, mark: Span, message: String) {
            self.time = time
            self.mark = mark
            self.message = message
        }
    }

    /// The lines, newest first.
    package var lines: [Line]
    /// The text to show if there are no events.
    package var placeholder: String

    /// Creates a ticker.
    package init(lines: [Line], placeholder: String) {
        self.lines = lines
        self.placeholder = placeholder
    }

    /// Draws the lines that fit, and dims older lines.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        let dim = canvas.theme.style(.dim)
        if lines.isEmpty {
            canvas.write(placeholder, in: rect.row(0), style: dim, alignment: .leading)
        }
        let timeWidth = lines.prefix(rect.height).map { canvas.width(of: $0.time) }.max() ?? 0
        for (index, line) in lines.prefix(rect.height).enumerated() {
            let row = rect.row(index)
            let time = Rect(x: row.minX, y: row.minY, width: timeWidth, height: 1)
            canvas.write(line.time, in: time, style: dim, alignment: .trailing)
            let style = index == 0 ? canvas.theme.style(.text) : dim
            let spans = [line.mark, Span(" " + line.message, style)]
            canvas.write(spans, x: time.maxX + 1, y: row.minY, limit: row.maxX - time.maxX - 1)
        }
    }
}
