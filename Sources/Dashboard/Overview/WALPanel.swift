import Telemetry
import TerminalUI
import Text

/// The panel with the log's size over time and the reason that the log does not shrink.
struct WALPanel {
    let history: History
    let seconds: Double
    /// The key of the screen with details, if any.
    let detailsKey: String?

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(title: "Write-ahead log", legend: hint(theme: theme))
            .draw(on: &canvas, in: rect)
        guard let database = history.displayedSample?.database, !inner.isEmpty else { return }
        guard !history.isUnknown, let wal = database.wal else {
            return drawText(history.logPlaceholder, theme.style(.dim), on: &canvas, in: inner)
        }
        let size = HumanUnits.bytes(wal.bytes)
        let room = inner.width - size.utf8.count - 2
        var frames = WALWords.frames(wal, width: room)
        if history.isOver {
            // After the run, the peak is more relevant than the last size.
            let peak = HumanUnits.bytes(history.peaks.walBytes)
            let texts = ["at the end, peak \(peak)", "at end; peak \(peak)"]
            frames = texts.first { $0.utf8.count <= room } ?? "at the end"
        }
        canvas.write(
            [Span(size, theme.bold(.text)), Span("  " + frames, theme.style(.dim))],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        let maximum = max(0, inner.height - 2)
        let state = WALWords.state(wal, width: inner.width, rows: min(maximum, 2))
        let needed = TextWrapping.lines(of: state.text, width: inner.width).count
        let lines = min(needed, maximum)
        let heights = [1, inner.height - 1 - lines, lines]
        let areas = inner.rows(heights)
        drawSizes(on: &canvas, in: areas[1])
        let style = theme.style(state.isPinned ? .warning : .ok)
        drawText(state.text, style, on: &canvas, in: areas[2])
    }

    private func hint(theme: Theme) -> [[Span]] {
        guard let detailsKey, let wal = history.displayedSample?.database.wal else { return [] }
        let isPinned = wal.pin != nil
        guard isPinned || history.isLogGrowing else { return [] }
        let purpose = isPinned ? " to see what pins it" : " to see why it grows"
        return [
            [
                Span("press ", theme.style(.dim)), Span(detailsKey, theme.bold(.accent)),
                Span(purpose, theme.style(.dim)),
            ]
        ]
    }

    private func drawSizes(on canvas: inout Canvas, in rect: Rect) {
        let moments = history.moments
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: Sparkline.points(in: rect.width, glyphs: canvas.glyphs)
        )
        let values = bins.values(.mean) { moments[$0].walBytes }
        let maximum = values.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
        Sparkline(values: values, maximum: maximum, gradient: .wal).draw(on: &canvas, in: rect)
    }

    private func drawText(_ text: String, _ style: Style, on canvas: inout Canvas, in rect: Rect) {
        let lines = TextWrapping.lines(of: text, width: rect.width)
        for (index, line) in lines.prefix(rect.height).enumerated() {
            let isTruncated = index == rect.height - 1 && lines.count > rect.height
            // Append the next line so that the text is truncated with an ellipsis.
            let whole = isTruncated ? line + " " + lines[index + 1] : line
            canvas.write(whole, in: rect.row(index), style: style, alignment: .leading)
        }
    }
}
