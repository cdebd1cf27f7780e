/// Recent events, one per line, newest first.
package struct Ticker: Sendable {
    package struct Line: Sendable {
        package var time: String
        package var mark: Span
        package var message: String

        package init(time: String, mark: Span, message: String) {
            self.time = time
            self.mark = mark
            self.message = message
        }
    }

    package var lines: [Line]
    /// The text to show if there are no events.
    package var placeholder: String

    package init(lines: [Line], placeholder: String) {
        self.lines = lines
        self.placeholder = placeholder
    }

    /// Draws the lines that fit, dimming all lines except the newest.
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
