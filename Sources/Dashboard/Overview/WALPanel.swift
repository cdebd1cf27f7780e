import Telemetry
import TerminalUI

/// The write-ahead log: its size over time, and in words what keeps it from shrinking.
struct WALPanel {
    let history: History
    let seconds: Double

    /// Draws the panel.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(title: "Write-ahead log").draw(on: &canvas, in: rect)
        guard let database = history.latest?.database, !inner.isEmpty else { return }
        guard let wal = database.wal else {
            let mode = database.journalMode.map { " (\($0))" } ?? ""
            drawWords("none in this journal mode\(mode)", theme.style(.dim), on: &canvas, in: inner)
            return
        }
        let size = HumanUnits.bytes(wal.bytes)
        let frames = WALWords.frames(wal, width: inner.width - size.utf8.count - 2)
        canvas.write(
            [Span(size, theme.bold(.text)), Span("  " + frames, theme.style(.dim))],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        let pin = WALWords.pin(wal)
        let words = pin.map { "▲ " + $0 } ?? "✔ nothing keeps it from shrinking"
        let wanted = TextWrapping.lines(of: words, width: inner.width).count
        let lines = min(wanted, max(0, inner.height - 2))
        let heights = [1, inner.height - 1 - lines, lines]
        let areas = inner.rows(heights)
        drawSizes(on: &canvas, in: areas[1])
        drawWords(words, theme.style(pin == nil ? .ok : .warning), on: &canvas, in: areas[2])
    }

    private func drawSizes(on canvas: inout Canvas, in rect: Rect) {
        let moments = history.moments
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: Sparkline.points(in: rect.width, glyphs: canvas.glyphs)
        )
        let values = bins.values(.mean) { moments[$0].walBytes }
        Sparkline(values: values, gradient: .wal).draw(on: &canvas, in: rect)
    }

    private func drawWords(_ text: String, _ style: Style, on canvas: inout Canvas, in rect: Rect) {
        let lines = TextWrapping.lines(of: text, width: rect.width)
        for (index, line) in lines.prefix(rect.height).enumerated() {
            let isCut = index == rect.height - 1 && lines.count > rect.height
            // One word more, so that the line ends in an ellipsis.
            let whole = isCut ? line + " " + lines[index + 1] : line
            canvas.write(whole, in: rect.row(index), style: style, alignment: .leading)
        }
    }
}
